#include "physics/devices/mmi.hpp"

namespace optinc {

DirectionalCoupler as_coupler(const Mmi2x2& d) {
  return {constants::pi / 4 + d.imbalance_rad, d.eta_relative_slope_per_m, d.wavelength_m, d.excess_loss_db};
}

Matrix2 mmi_2x2(const Mmi2x2& d, double wavelength_m) {
  return directional_coupler(as_coupler(d), wavelength_m);
}

}  // namespace optinc
