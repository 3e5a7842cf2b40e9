#include "physics/devices/homodyne.hpp"

#include <cmath>

#include "physics/core/check_values.hpp"
#include "physics/core/units.hpp"

namespace optinc {

double homodyne_current_a(const ReceiverSettings& s, Complex field, double phase_error_rad,
                          int stronger_diode) {
  const double in_phase = (field * std::polar(1.0, -phase_error_rad)).real();
  const double common = s.photodiode.responsivity_a_per_w * (s.lo_power_w + std::norm(field));
  return homodyne_current_per_field(s) * in_phase + stronger_diode * field_ratio_of_loss_db(s.cmrr_db) * common;
}

HomodyneNoise homodyne_noise_a2(const ReceiverSettings& s, const LaserSettings& seed, double signal_power_w) {
  const auto square = [](double x) { return x * x; };
  return {square(shot_noise_a(s, signal_power_w)), square(input_noise_a(s.front_end)),
          square(lo_intensity_noise_a(s, seed))};
}

}  // namespace optinc
