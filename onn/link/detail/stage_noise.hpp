#pragma once

#include <cmath>

#include "onn/hardware/operating_values.hpp"
#include "onn/link/detail/receiver_variance.hpp"

namespace optinc {

/// Noise of a stage's receivers in units of the values that they take, behind their equalisers: for a value v
/// of light of squared magnitude p (in values, both quadratures), the variance
///
///   white + shot p + (intensity v +- leaked)^2,
///
/// the last of the seed laser, the same at all receivers of a word but for the sign: which diode of a pair is
/// the stronger. Converters are not in it. Real: double, or a number with derivatives.
template <class Real>
struct StageNoise {
  Real white{}, shot{}, intensity{}, leaked{};
};

/// That of receivers that a value of 1 reaches as a field of `field_per_unit`, sqrt(W), `noise_gain2` from the
/// equaliser (StageChannel).
template <class Real>
StageNoise<Real> stage_noise(const UnitHardware& hardware, const NoiseSwitches& noise,
                             const OperatingValues<Real>& values, const Real& field_per_unit,
                             const Real& noise_gain2) {
  using std::sqrt;
  const ReceiverSettings& receiver = hardware.receiver;
  const Real current_per_field = homodyne_current_per_field(receiver, values.oscillator_w),
             current_per_value = current_per_field * field_per_unit;
  const ReceiverVarianceOf<Real> variance =
      receiver_variance(receiver, noise, values.oscillator_w, values.bandwidth_hz);
  const double scale2 = noise.scale * noise.scale;
  StageNoise<Real> found;
  found.white = scale2 * noise_gain2 * variance.dark_a2 / (current_per_value * current_per_value);
  found.shot = scale2 * noise_gain2 * variance.per_watt_a2 / (current_per_field * current_per_field);
  if (!noise.rin) return found;
  const Real rms = sqrt(scale2 * noise_gain2),
             relative = relative_intensity_noise(hardware.laser.rin_db_per_hz,
                                                 Real(noise_bandwidth_ratio() * values.bandwidth_hz));
  found.intensity = rms * relative;
  found.leaked = rms * lo_intensity_noise_a(receiver, values.oscillator_w, relative) / current_per_value;
  return found;
}

}  // namespace optinc
