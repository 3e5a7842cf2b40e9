#include "physics/devices/photodiode.hpp"

#include <fmt/format.h>

#include "physics/core/check_values.hpp"
#include "physics/core/units.hpp"

namespace optinc {

using namespace constants;

void validate_photodiode(const PhotodiodeSettings& s) {
  validate_positive("responsivity_a_per_w", s.responsivity_a_per_w);
  validate_not_negative("dark_current_a", s.dark_current_a);
}

std::vector<Warning> photodiode_warnings(const PhotodiodeSettings& s, double wavelength_m) {
  std::vector<Warning> warnings;
  const double limit = responsivity_a_per_w(1.0, wavelength_m);
  if (s.responsivity_a_per_w > limit)
    warnings.push_back(
        {"responsivity_a_per_w",
         fmt::format("responsivity_a_per_w = {} is above the quantum limit q lambda/(h c) = {:.4g} A/W at {:g} "
                     "nm: more than "
                     "one electron a photon",
                     s.responsivity_a_per_w, limit, 1e9 * wavelength_m)});
  if (s.dark_current_a > 200e-9)
    warnings.push_back(
        {"dark_current_a", fmt::format("dark_current_a = {} is over 200 nA, more than germanium on silicon has",
                                       s.dark_current_a)});
  return warnings;
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
