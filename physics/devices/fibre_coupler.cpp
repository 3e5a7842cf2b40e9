#include "physics/devices/fibre_coupler.hpp"

#include "physics/core/check_values.hpp"
#include "physics/devices/fibre_coupler_rows.hpp"

namespace optinc {

double fibre_coupler_loss_db(const FibreCoupler& d, double wavelength_m) {
  validate_rows(d);
  validate_positive("wavelength_m", d.wavelength_m);
  validate_positive("wavelength_m", wavelength_m);
  validate_field(d.one_db_bandwidth_m > 0, "one_db_bandwidth_m",
                 "{} (> 0, infinite where the loss is flat). Give one > 0.", d.one_db_bandwidth_m);
  const double detuning = 2 * (wavelength_m - d.wavelength_m) / d.one_db_bandwidth_m;
  return d.loss_db + detuning * detuning;
}

FibreCoupler typical_edge_coupler() { return {}; }

FibreCoupler typical_grating_coupler() {
  FibreCoupler d;
  d.loss_db = 4.0;
  d.one_db_bandwidth_m = 35e-9;
  d.device = "typical-grating-coupler";
  return d;
}

}  // namespace optinc
