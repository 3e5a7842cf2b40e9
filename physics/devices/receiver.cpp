#include "physics/devices/receiver.hpp"

#include <cmath>

#include "physics/core/check_values.hpp"
#include "physics/core/units.hpp"
#include "physics/devices/receiver_rows.hpp"

namespace optinc {

double homodyne_current_per_field(const ReceiverSettings& s) {
  return homodyne_current_per_field(s, s.lo_power_w);
}

double shot_noise_a(const ReceiverSettings& s, double signal_power_w) {
  return std::sqrt(shot_variance_a2(s, s.lo_power_w, signal_power_w, noise_bandwidth_hz(s.front_end)));
}

double relative_intensity_noise(const ReceiverSettings& s, const LaserSettings& seed) {
  return relative_intensity_noise(seed.rin_db_per_hz, noise_bandwidth_hz(s.front_end));
}

double lo_intensity_noise_a(const ReceiverSettings& s, const LaserSettings& seed) {
  return lo_intensity_noise_a(s, s.lo_power_w, relative_intensity_noise(s, seed));
}

void validate_receiver(const ReceiverSettings& s) {
  validate_rows(s);
  validate_front_end(s.front_end);  // also of a load resistor
}

}  // namespace optinc
