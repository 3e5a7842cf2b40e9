#pragma once

#include <cstddef>

#include "physics/mesh/engine/mesh_layout.hpp"

namespace optinc {

/// What a correction needs, as plain arrays, rad.
template <class Real>
struct WantedPhases {
  const Real *theta, *phi;   ///< (MZIs)
  const Real* output_phase;  ///< (ports)
  const Real *alpha, *beta;  ///< known splitter errors (MZIs)
};

/// Where the corrected phases go, rad in [0, 2 pi).
template <class Real>
struct CorrectedPhases {
  Real *theta, *phi;   ///< (MZIs)
  Real* output_phase;  ///< (ports)
};

/// correct_splitters() (physics/mesh/correction.hpp) with SIMD lanes across the MZIs of a column; `quadrature`
/// as Clipping says. Returns how many MZIs were clipped.
std::size_t correct_mesh(const MeshLayout& layout, const WantedPhases<float>& wanted, bool quadrature,
                         const CorrectedPhases<float>& corrected);
std::size_t correct_mesh(const MeshLayout& layout, const WantedPhases<double>& wanted, bool quadrature,
                         const CorrectedPhases<double>& corrected);

}  // namespace optinc
