#pragma once

#include "physics/mesh/engine/scaled_mesh.hpp"

// No Eigen in here: see mesh_layout.hpp.

namespace optinc {

/// A settled mesh in scaled form for the way back: two sets of factors a MZI, one that inverts it (fields,
/// T^-1) and one for the adjoint (T^H), and the scales that turn the Gram sums of scaled fields into true ones.
/// Columns are in topology order, though they are walked from the last to the first.
template <class Real>
struct InverseMesh {
  std::size_t pitch = 0;        ///< MZIs and room for one register more
  AlignedVector<Real> factors;  ///< [MZI][f_re, f_im, g_re, g_im of T^-1; the same of T^H]
  std::vector<typename ScaledMesh<Real>::Flag> cross;  ///< [pitch], all bits set for a cross pivot, else 0
  /// [field scale upper re, im, lower re, im in front of the MZI; adjoint scale the same behind it][pitch]
  AlignedVector<Real> scales;
  /// [re, im][idle port of a column, as in MeshLayout::idle]: field scale times conj(adjoint scale)
  std::vector<Real> idle_scale_re, idle_scale_im;
  std::vector<bool> rescale_before;  ///< [column]: scales are multiplied in after the column was walked back
  /// [rescaling, in the order of walking][field re, im, adjoint re, im][port]; first comes the output screen
  std::vector<Real> rescale;
};

}  // namespace optinc
