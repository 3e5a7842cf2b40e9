#include "physics/devices/receiver.hpp"

#include <cmath>

#include "physics/core/check_values.hpp"
#include "physics/core/units.hpp"
#include "physics/devices/receiver_rows.hpp"

namespace optinc {

double homodyne_current_per_field(const ReceiverSettings& s) {
  return 2 * s.photodiode.responsivity_a_per_w * std::sqrt(s.lo_power_w);
}

double shot_noise_a(const ReceiverSettings& s, double signal_power_w) {
  const double current =
      s.photodiode.responsivity_a_per_w * (s.lo_power_w + signal_power_w) + 2 * s.photodiode.dark_current_a;
  return std::sqrt(2 * constants::elementary_charge_c * current * noise_bandwidth_hz(s.front_end));
}

double relative_intensity_noise(const ReceiverSettings& s, const LaserSettings& seed) {
  return relative_intensity_noise(seed.rin_db_per_hz, noise_bandwidth_hz(s.front_end));
}

double lo_intensity_noise_a(const ReceiverSettings& s, const LaserSettings& seed) {
  return s.photodiode.responsivity_a_per_w * s.lo_power_w * relative_intensity_noise(s, seed) *
         field_ratio_of_loss_db(s.cmrr_db);
}

void validate_receiver(const ReceiverSettings& s) {
  validate_rows(s);
  validate_front_end(s.front_end);  // also of a load resistor
}

}  // namespace optinc
