#include "physics/devices/direct_detection.hpp"

#include <algorithm>
#include <cmath>

#include "physics/core/check_values.hpp"
#include "physics/devices/laser.hpp"

namespace optinc {

void validate_direct_receiver(const DirectReceiver& s) {
  validate_photodiode(s.diode);
  validate_front_end(s.front_end);
  validate_field(s.light.rin_db_per_hz < 0, "rin_db_per_hz",
                 "{} (< 0; lasers lie near -150, -inf for none). Give rin_db_per_hz < 0.",
                 s.light.rin_db_per_hz);
  validate_not_negative("ase_density_w_per_hz", s.light.ase_density_w_per_hz);
  validate_positive("optical_bandwidth_hz", s.light.optical_bandwidth_hz);
}

DirectNoise direct_noise_a2(const DirectReceiver& s, double power_w) {
  const double b = noise_bandwidth_hz(s.front_end), b_o = s.light.optical_bandwidth_hz;
  const double r = s.diode.responsivity_a_per_w, ase = s.light.ase_density_w_per_hz;
  const double beating = std::min(b, b_o);  // two lines of the optical band differ by no more
  DirectNoise noise;
  noise.shot = shot_variance_a2(s.diode, power_w + ase * b_o, b);
  noise.front_end = std::pow(input_noise_a(s.front_end), 2);
  noise.intensity = std::pow(r * power_w * relative_intensity_noise(s.light.rin_db_per_hz, b), 2);
  noise.signal_spontaneous = 4 * r * r * power_w * ase * std::min(b, b_o / 2);
  noise.spontaneous_spontaneous = r * r * ase * ase * (2 * b_o - beating) * beating;
  return noise;
}

double mean_direct_current_a(const DirectReceiver& s, double power_w) {
  return photocurrent_a(s.diode, power_w + s.light.ase_density_w_per_hz * s.light.optical_bandwidth_hz);
}

double direct_snr(const DirectReceiver& s, double power_w) {
  if (power_w == 0) return 0.0;  // also of a receiver without any noise
  return std::pow(s.diode.responsivity_a_per_w * power_w, 2) / direct_noise_a2(s, power_w).total();
}

double direct_current_a(const DirectReceiver& s, double power_w, Stream& stream) {
  return mean_direct_current_a(s, power_w) + std::sqrt(direct_noise_a2(s, power_w).total()) * stream.normal();
}

}  // namespace optinc
