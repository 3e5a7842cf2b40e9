#include "physics/devices/wavelength_switch.hpp"

#include <cmath>
#include <numbers>

#include <boost/math/special_functions/gamma.hpp>

#include "physics/core/check_values.hpp"
#include "physics/core/units.hpp"

namespace optinc {

void validate_wavelength_switch(const WavelengthSwitchSettings& s) {
  validate(s.ports >= 1, "ports = {} of a wavelength switch (1 or more). Raise ports.", s.ports);
  validate_not_negative("port_loss_db", s.port_loss_db);
  validate(std::isfinite(s.crosstalk_db) && s.crosstalk_db < 0.0,
           "crosstalk_db = {} of a wavelength switch (below 0). Set -35.", s.crosstalk_db);
  validate_positive("bandwidth_hz", s.bandwidth_hz);
  validate(std::isfinite(s.order) && s.order >= 1.0, "order = {} of a passband (1 or more). Set 4.", s.order);
}

double passband(const WavelengthSwitchSettings& s, double offset_hz, double passes) {
  return std::exp(-std::numbers::ln2 * passes *
                  std::pow(std::abs(2.0 * offset_hz / s.bandwidth_hz), 2.0 * s.order));
}

double cascaded_bandwidth_hz(const WavelengthSwitchSettings& s, double passes) {
  return s.bandwidth_hz * std::pow(passes, -0.5 / s.order);
}

double narrowing_loss_db(const WavelengthSwitchSettings& s, double passes, double symbol_rate_bd) {
  validate_positive("symbol_rate_bd", symbol_rate_bd);
  if (passes == 0.0) return 0.0;
  // integral of exp(-c x^2m) from 0 to 1, x = 2 f/R: gamma(1/2m, c) / (2m c^(1/2m))
  const double exponent = 0.5 / s.order;
  const double c = std::numbers::ln2 * passes * std::pow(symbol_rate_bd / s.bandwidth_hz, 2.0 * s.order);
  return loss_db_of_power_ratio(boost::math::tgamma_lower(exponent, c) * exponent * std::pow(c, -exponent));
}

double crosstalk_ratio(const WavelengthSwitchSettings& s, double passes) {
  return passes * (s.ports - 1) * power_ratio_of_loss_db(-s.crosstalk_db);
}

}  // namespace optinc
