#pragma once

#include "onn/link/noise.hpp"

namespace optinc {

/// Variance of the current of a homodyne receiver, apart from the seed laser's intensity noise, A^2:
///   dark_a2 + per_watt_a2 P,
/// amplifier noise and the oscillator's shot noise, and the shot noise of a signal of power P, which is linear
/// in it (shot_noise_a, input_noise_a).
struct ReceiverVariance {
  double dark_a2 = 0.0;
  double per_watt_a2 = 0.0;  ///< A^2/W
};

/// What of it `noise` leaves on. Throws nothing: validate_hardware() has seen the receiver.
ReceiverVariance receiver_variance(const ReceiverSettings& receiver, const NoiseSwitches& noise);

}  // namespace optinc
