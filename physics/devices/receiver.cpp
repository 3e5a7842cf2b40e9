#include "physics/devices/receiver.hpp"

#include <cmath>

#include "physics/core/check_values.hpp"
#include "physics/core/units.hpp"
#include "physics/devices/laser.hpp"

namespace optinc {

double homodyne_current_per_field(const ReceiverSettings& s) {
  return 2 * s.responsivity_a_per_w * std::sqrt(s.lo_power_w);
}

double shot_noise_a(const ReceiverSettings& s, double signal_power_w) {
  const double current = s.responsivity_a_per_w * (s.lo_power_w + signal_power_w) + 2 * s.dark_current_a;
  return std::sqrt(2 * constants::elementary_charge_c * current * s.bandwidth_hz);
}

double tia_noise_a(const ReceiverSettings& s) { return s.tia_noise_a_per_rthz * std::sqrt(s.bandwidth_hz); }

double relative_intensity_noise(const ReceiverSettings& s) {
  return relative_intensity_noise(s.rin_db_per_hz, s.bandwidth_hz);
}

double lo_intensity_noise_a(const ReceiverSettings& s) {
  return s.responsivity_a_per_w * s.lo_power_w * relative_intensity_noise(s) *
         field_ratio_of_loss_db(s.cmrr_db);
}

void validate_receiver(const ReceiverSettings& s) {
  validate_positive("lo_power_w", s.lo_power_w);
  validate_positive("responsivity_a_per_w", s.responsivity_a_per_w);
  validate_positive("bandwidth_hz", s.bandwidth_hz);
  validate_not_negative("dark_current_a", s.dark_current_a);
  validate_not_negative("tia_noise_a_per_rthz", s.tia_noise_a_per_rthz);
  validate_not_negative("cmrr_db", s.cmrr_db);
  validate(std::isfinite(s.rin_db_per_hz) && s.rin_db_per_hz < 0,
           "rin_db_per_hz = {} (finite and < 0; lasers lie near -150). Give rin_db_per_hz < 0.",
           s.rin_db_per_hz);
}

}  // namespace optinc
