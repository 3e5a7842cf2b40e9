#include "physics/devices/photodiode.hpp"

#include "physics/core/check_values.hpp"
#include "physics/core/units.hpp"

namespace optinc {

using namespace constants;

void validate_photodiode(const PhotodiodeSettings& s) {
  validate_positive("responsivity_a_per_w", s.responsivity_a_per_w);
  validate_not_negative("dark_current_a", s.dark_current_a);
}

double photocurrent_a(const PhotodiodeSettings& s, double power_w) {
  return s.responsivity_a_per_w * power_w + s.dark_current_a;
}

double shot_variance_a2(const PhotodiodeSettings& s, double power_w, double bandwidth_hz) {
  return 2 * elementary_charge_c * photocurrent_a(s, power_w) * bandwidth_hz;
}

double responsivity_a_per_w(double quantum_efficiency, double wavelength_m) {
  validate_within("quantum_efficiency", quantum_efficiency, 0, 1);
  validate_positive("wavelength_m", wavelength_m);
  return quantum_efficiency * elementary_charge_c * wavelength_m / (planck_j_s * speed_of_light_m_per_s);
}

}  // namespace optinc
