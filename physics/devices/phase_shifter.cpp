#include "physics/devices/phase_shifter.hpp"

#include "physics/core/units.hpp"

namespace optinc {

using constants::pi;

Complex phase_shifter(double phi_rad, double loss_db) {
  return std::polar(field_ratio_of_loss_db(loss_db), phi_rad);
}

double heater_power_w(double phi_rad, double p_pi_w) { return p_pi_w * wrap_phase(phi_rad) / pi; }

}  // namespace optinc
