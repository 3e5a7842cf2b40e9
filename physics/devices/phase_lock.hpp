#pragma once

namespace optinc {

/// Phase that a first-order control loop leaves, rad, `elapsed_s` after it left `error_rad`, while the phase it
/// follows changed by `change_rad` at a steady rate:
///
///     de/dt = dphi/dt - 2 pi B e,   so   e(t) = e(0) a + dphi (1 - a) / (2 pi B t),   a = exp(-2 pi B t).
///
/// B is its bandwidth; 0: no loop, the phase is left as it is. A steady drift r leaves r / (2 pi B). Throws
/// Error for a negative bandwidth or time.
double phase_lock_error_rad(double error_rad, double change_rad, double elapsed_s, double bandwidth_hz);

}  // namespace optinc
