#pragma once

#include "physics/core/field.hpp"
#include "physics/devices/receiver.hpp"
#include "physics/random/stream.hpp"

namespace optinc {

/// Current of a balanced homodyne pair without noise, A: 2 R sqrt(P_LO) Re(E e^(-i phi)) + c R (P_LO + |E|^2).
/// phi is the error of the local oscillator's phase, rad; c = +-10^(-CMRR/20) the part of the common mode that
/// unequal diodes let through, with the sign of `stronger_diode` (+1, -1, or 0 where a calibration took the
/// constant away).
double homodyne_current_a(const ReceiverSettings& settings, Complex field, double phase_error_rad = 0.0,
                          int stronger_diode = 0);

/// Variances of the homodyne current by cause, A^2.
struct HomodyneNoise {
  double shot = 0.0;       ///< 2 q (R (P_LO + P) + 2 I_d) B
  double front_end = 0.0;  ///< i_n^2 B
  double intensity = 0.0;  ///< local oscillator's intensity noise behind the finite rejection
  /// Sum of all three, A^2.
  double total() const { return shot + front_end + intensity; }
};
HomodyneNoise homodyne_noise_a2(const ReceiverSettings& settings, const LaserSettings& seed,
                                double signal_power_w);

}  // namespace optinc
