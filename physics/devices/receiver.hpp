#pragma once

#include <string_view>

#include "physics/core/tangent.hpp"
#include "physics/core/units.hpp"
#include "physics/devices/front_end.hpp"
#include "physics/devices/laser.hpp"
#include "physics/devices/photodiode.hpp"

namespace optinc {

/// Balanced homodyne receiver of one neuron or output digit: a local oscillator, two photodiodes and a front
/// end. Oscillator and signal stem from one seed laser. Defaults: assumed, but for the front end's.
struct ReceiverSettings {
  double lo_power_w = 1e-3;       ///< local oscillator
  double cmrr_db = 30.0;          ///< common-mode rejection of the pair (electrical: 20 log10)
  PhotodiodeSettings photodiode;  ///< each of the two
  FrontEnd front_end;
  double offset_a = 0.0;  ///< rms offset current at the front end's input, constant for a receiver: what leaves
                          ///< thresholds off
  double overload_a = 0.0;  ///< largest current, of either sign, that the front end passes on; 0: any. It
                            ///< recovers at once, and behind an averaging sampler acts on the mean
  std::string_view device = "patel-2022-receiver";  ///< front end whose values these are, but for those changed
  std::string_view photodiodes = "typical-germanium-photodiode";  ///< the same of the two diodes
};

/// Signal current per field amplitude, A per sqrt(W): i = 2 R sqrt(P_LO) Re(E e^{-i phi_LO}).
double homodyne_current_per_field(const ReceiverSettings& settings);

/// Shot noise of both diodes, rms A: sqrt(2 q (R (P_LO + P_signal) + 2 I_d) B), B the front end's noise
/// bandwidth.
double shot_noise_a(const ReceiverSettings& settings, double signal_power_w);

/// Relative intensity noise of the seed in the receiver's noise bandwidth B, rms of dP/P: sqrt(RIN B).
double relative_intensity_noise(const ReceiverSettings& settings, const LaserSettings& seed);

/// What the pair's finite rejection leaves of the local oscillator's intensity noise, rms A:
/// R P_LO sqrt(RIN B) 10^(-CMRR/20).
double lo_intensity_noise_a(const ReceiverSettings& settings, const LaserSettings& seed);

// The same formulas with the power of the local oscillator and the noise bandwidth given, as numbers that may
// carry derivatives (Tangent).

/// homodyne_current_per_field().
template <class Real>
Real homodyne_current_per_field(const ReceiverSettings& s, const Real& lo_power_w) {
  using std::sqrt;
  return 2 * s.photodiode.responsivity_a_per_w * sqrt(lo_power_w);
}

/// Square of shot_noise_a(), A^2.
template <class Real>
Real shot_variance_a2(const ReceiverSettings& s, const Real& lo_power_w, double signal_power_w,
                      const Real& noise_bandwidth_hz) {
  const Real current_a =
      s.photodiode.responsivity_a_per_w * (lo_power_w + signal_power_w) + 2 * s.photodiode.dark_current_a;
  return 2 * constants::elementary_charge_c * current_a * noise_bandwidth_hz;
}

/// lo_intensity_noise_a() of a relative_intensity_noise().
template <class Real>
Real lo_intensity_noise_a(const ReceiverSettings& s, const Real& lo_power_w, const Real& relative_noise) {
  return s.photodiode.responsivity_a_per_w * field_ratio_of_loss_db(s.cmrr_db) * lo_power_w * relative_noise;
}

/// Throws Error, naming the field, for a value that no receiver has (power or bandwidth <= 0, negative noise,
/// offset or overload).
void validate_receiver(const ReceiverSettings& settings);

}  // namespace optinc
