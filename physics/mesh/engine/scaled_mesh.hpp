#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "physics/core/aligned.hpp"

// No Eigen in here: see mesh_layout.hpp.

namespace optinc {

/// Largest phase with its offset, rad, that a mesh is settled with: up to here sine and cosine are as accurate
/// as their angle (quarter turns are taken off exactly).
template <class Real>
inline constexpr Real largest_phase_rad = sizeof(Real) == 4 ? Real(1e4) : Real(1e8);

/// A settled mesh in scaled form, ready for the kernels. The true field of waveguide p is D_p x_p with a
/// complex scale D_p carried along; with a' = a D_1, b' = b D_2, c' = c D_1, d' = d D_2 for T = [[a, b], [c,
/// d]] on ports of scales D_1, D_2,
///   bar pivot   (|a||d| >= |b||c|):  y1 = x1 + (b'/a') x2,  y2 = x2 + (c'/d') x1,  new scales (a', d')
///   cross pivot (otherwise):         y1 = x2 + (a'/b') x1,  y2 = x1 + (d'/c') x2,  new scales (b', c')
/// Two complex multiply-adds with a unit diagonal instead of four products: 8 real FMA a field vector.
/// Either way  first = u + f v,  second = v + g u  on (u, v), which are the inputs, exchanged by a cross pivot.
/// Scales are multiplied in, and begin at 1 again, every few columns and at the end: unscaled fields grow by up
/// to sqrt(2) a column and would overflow float beyond some 200.
template <class Real>
struct ScaledMesh {
  using Flag = std::conditional_t<sizeof(Real) == 4, std::int32_t, std::int64_t>;

  std::size_t pitch = 0;                 ///< MZIs and room for one register more
  std::vector<Real> factors;             ///< [f_re, f_im, g_re, g_im][pitch], topology order
  std::vector<Flag> cross;               ///< [pitch], all bits set for a cross pivot, else 0
  std::vector<bool> rescale_after;       ///< [column]
  std::vector<Real> scale_re, scale_im;  ///< [rescaling][port]; the last one holds the output screen too

  /// Real part of the factors f, (MZIs).
  const Real* f_re() const { return factors.data(); }
  /// Imaginary part of the factors f.
  const Real* f_im() const { return factors.data() + pitch; }
  /// Real part of the factors g, (MZIs).
  const Real* g_re() const { return factors.data() + 2 * pitch; }
  /// Imaginary part of the factors g.
  const Real* g_im() const { return factors.data() + 3 * pitch; }
};

/// Parameters of a mesh as plain arrays: MeshProgramOf and MeshErrorsOf without Eigen.
template <class Real>
struct MeshParameters {
  const Real *theta, *phi, *theta_offset, *phi_offset;  ///< rad (MZIs)
  const Real *alpha, *beta;                             ///< rad (MZIs)
  const Real *theta_arm_loss_db, *phi_arm_loss_db;      ///< dB (MZIs)
  const Real *theta_other_loss_db, *phi_other_loss_db;  ///< dB (MZIs)
  Real idle_arm_loss_db;
  const Real *output_phase, *output_offset;  ///< rad (ports)
};

/// Blocks of a mesh as plain arrays: MeshBlocks without Eigen.
template <class Real>
struct BlockParameters {
  const Real* planes;                 ///< [re, im of T_00, T_01, T_10, T_11][blocks]
  const Real *screen_re, *screen_im;  ///< (ports)
  Real idle_factor;
  double lossiest_db;  ///< what columns_per_rescale() is to be asked with
};

/// Columns between two rescalings of a mesh whose lossiest MZI loses `loss_db`: 32, fewer where losses are so
/// large that the scales, at most 3 dB + loss smaller per column, would leave the range of float.
std::size_t columns_per_rescale(double loss_db);

}  // namespace optinc
