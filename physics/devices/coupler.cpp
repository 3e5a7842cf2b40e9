#include "physics/devices/coupler.hpp"

#include <fmt/format.h>

#include "physics/core/check_values.hpp"

namespace optinc {
Matrix2 coupler(double eta_rad) {
  const double bar = std::cos(eta_rad), cross = std::sin(eta_rad);
  Matrix2 t;
  t << bar, Complex(0, cross), Complex(0, cross), bar;
  return t;
}

double coupler_eta_rad(const DirectionalCoupler& d, double wavelength_m) {
  return detuned_eta_rad(d.eta_rad, d.eta_relative_slope_per_m, wavelength_m - d.wavelength_m);
}

Matrix2 directional_coupler(const DirectionalCoupler& d, double wavelength_m) {
  validate_coupler(d);
  validate_positive("wavelength_m", wavelength_m);
  return field_ratio_of_loss_db(d.excess_loss_db) * coupler(coupler_eta_rad(d, wavelength_m));
}

void validate_coupler(const DirectionalCoupler& d) {
  validate_finite("eta_rad", d.eta_rad);
  validate_finite("eta_relative_slope_per_m", d.eta_relative_slope_per_m);
  validate_positive("wavelength_m", d.wavelength_m);
  validate_not_negative("excess_loss_db", d.excess_loss_db);
}

std::vector<Warning> coupler_warnings(const DirectionalCoupler& d) {
  std::vector<Warning> warnings;
  if (std::abs(d.eta_relative_slope_per_m) > 6.4e6)
    warnings.push_back(
        {"eta_relative_slope_per_m",
         fmt::format("eta_relative_slope_per_m = {:g} (plain directional couplers lie below 6.4e6, that "
                     "is 0.64 % a nanometre; broadband ones near 6e5)",
                     d.eta_relative_slope_per_m)});
  if (d.excess_loss_db > 0.3)
    warnings.push_back(
        {"excess_loss_db", fmt::format("excess_loss_db = {:g} (directional couplers lie within 0.02..0.3 dB)",
                                       d.excess_loss_db)});
  return warnings;
}

}  // namespace optinc
