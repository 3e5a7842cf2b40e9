#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

// No Eigen in here: the kernel that reads this is compiled for several processors, and inline functions of
// Eigen compiled for one must not meet those compiled for another.

namespace optinc {

/// One MZI in scaled form. The true field of waveguide p is D_p x_p with a complex scale D_p carried along;
/// with a' = a D_1, b' = b D_2, c' = c D_1, d' = d D_2 for T = [[a, b], [c, d]] on ports of scales D_1, D_2,
///   bar pivot   (|a||d| >= |b||c|):  y1 = x1 + (b'/a') x2,  y2 = x2 + (c'/d') x1,  new scales (a', d')
///   cross pivot (otherwise):         y1 = x2 + (a'/b') x1,  y2 = x1 + (d'/c') x2,  new scales (b', c')
/// Two complex multiply-adds with a unit diagonal instead of four products: 8 real FMA a field vector.
/// Either way  first = u + f v,  second = v + g u  on (u, v), which are the inputs, exchanged by a cross pivot.
template <class Real>
struct ScaledMzi {
  Real f_re, f_im, g_re, g_im;
  std::int32_t upper, lower;  ///< ports
  std::int32_t cross;         ///< 1: inputs exchanged
};

/// A run of columns between two rescalings. Pairs of columns that alternate as in a rectangular mesh
/// (neighbours from port 0, then from port 1) are fused: first MZIs 0 .. N/2, then the second column's, in
/// topology order.
struct ScaledColumns {
  std::size_t first = 0, count = 0;                ///< MZIs of the column (of the first one where fused)
  std::size_t second_first = 0, second_count = 0;  ///< of the second one; 0 where not fused
  bool fused = false;
  bool rescale_after = false;  ///< multiply every port by its scale, which then is 1 again
};

/// A settled mesh ready for the direct kernel.
template <class Real>
struct ScaledMesh {
  int ports = 0;
  std::vector<ScaledMzi<Real>> mzis;  ///< topology order
  std::vector<ScaledColumns> columns;
  std::vector<Real> scale_re, scale_im;  ///< [rescaling][port]
};

}  // namespace optinc
