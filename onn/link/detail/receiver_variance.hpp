#pragma once

#include "onn/hardware/operating_values.hpp"
#include "onn/link/noise.hpp"

namespace optinc {

/// Variance of the current of a homodyne receiver, apart from the seed laser's intensity noise, A^2:
///   dark_a2 + per_watt_a2 P,
/// amplifier noise and the oscillator's shot noise, and the shot noise of a signal of power P, which is linear
/// in it (shot_noise_a, input_noise_a).
template <class Real>
struct ReceiverVarianceOf {
  Real dark_a2{};
  Real per_watt_a2{};  ///< A^2/W
};
using ReceiverVariance = ReceiverVarianceOf<double>;

/// What of it `noise` leaves on. Throws nothing: validate_hardware() has seen the receiver.
ReceiverVariance receiver_variance(const ReceiverSettings& receiver, const NoiseSwitches& noise);

/// The same with other light of the oscillator and another 3 dB bandwidth. Real: double, or a number with
/// derivatives.
template <class Real>
ReceiverVarianceOf<Real> receiver_variance(const ReceiverSettings& receiver, const NoiseSwitches& noise,
                                           const Real& oscillator_w, const Real& bandwidth_hz) {
  const Real noise_hz = noise_bandwidth_ratio() * bandwidth_hz;
  const double tia = noise.tia ? input_noise_a_per_rthz(receiver.front_end) : 0.0;
  ReceiverVarianceOf<Real> found = {tia * tia * noise_hz, Real(0.0)};
  if (!noise.shot) return found;
  const Real dark = shot_variance_a2(receiver, oscillator_w, 0.0, noise_hz);
  found.dark_a2 += dark;
  found.per_watt_a2 = shot_variance_a2(receiver, oscillator_w, 1.0, noise_hz) - dark;
  return found;
}

}  // namespace optinc
