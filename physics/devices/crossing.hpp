#pragma once

#include "physics/core/field.hpp"

namespace optinc {

/// Two waveguides that cross in one layer. Reflection (-55 dB, Johnson 2020) is left out.
struct Crossing {
  double loss_db = 0.043;
  double loss_spread_db = 0.004;                    ///< its standard deviation from device to device
  double crosstalk_db = 50.0;                       ///< power in the wrong guide, this far below the input
  double crosstalk_phase_rad = 1.5707963267948966;  ///< of the leaked field against the one that passes
};

/// Transfer matrix between positions: light of the upper input leaves at the lower output, so the
/// off-diagonal holds what passes, t = 10^(-IL/20), and the diagonal what leaks coherently,
/// x = 10^(-XT/20) e^{i psi}. Unlike a coupler in its cross state it adds no factor i. Passive where both
/// singular values |t +- x| are at most 1: what leaks must be paid for by the loss. Throws Error otherwise, or
/// for negative dB.
Matrix2 crossing(const Crossing& device);

void validate_crossing(const Crossing& device);

/// Johnson, Thompson & Sahin, Opt. Express 28, 12498 (2020): 43 +- 4 mdB, crosstalk below -50 dB within
/// 1550..1560 nm, backscatter -55 dB.
Crossing johnson_2020_crossing();

/// CMOS-compatible crossing by 248 nm lithography in one step, EPFL infoscience record 232632:
/// 0.18 +- 0.03 dB, crosstalk -41 +- 2 dB across an 8-inch wafer.
Crossing wafer_scale_crossing();

}  // namespace optinc
