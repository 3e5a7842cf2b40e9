#include "physics/thermal/heaters.hpp"

#include <cmath>
#include <utility>

#include "physics/core/check.hpp"
#include "physics/core/units.hpp"

namespace optinc {

using constants::pi;

HeaterArray uniform_heaters(const Vector& x_m, const Vector& y_m, const ThermoOpticShifter& design,
                            const ThermalDie& die) {
  const ThermoOpticFigures figures = thermo_optic_figures(design);
  const auto all = [&](double value) -> Vector { return Vector::Constant(x_m.size(), value); };
  HeaterArray heaters{x_m,
                      y_m,
                      all(design.p_pi_w),
                      all(figures.thermal_resistance_k_per_w),
                      all(figures.thermal_capacity_j_per_k),
                      die};
  validate_heaters(heaters);
  return heaters;
}

void validate_heaters(const HeaterArray& h) {
  validate(h.count() > 0, "an array of 0 heaters (at least one is needed). Give their positions.");
  for (const auto& [name, values] : {std::pair{"y_m", &h.y_m}, std::pair{"p_pi_w", &h.p_pi_w},
                                     std::pair{"resistance_k_per_w", &h.resistance_k_per_w},
                                     std::pair{"capacity_j_per_k", &h.capacity_j_per_k}})
    validate(values->size() == h.count(),
             "{} has {} values for {} heaters (one for each). Give vectors of one length.", name,
             values->size(), h.count());
  validate(h.x_m.allFinite() && h.y_m.allFinite(),
           "a position of a heater is not finite (it is in metres on the die). Give finite positions.");
  for (const auto& [name, values] :
       {std::pair{"p_pi_w", &h.p_pi_w}, std::pair{"resistance_k_per_w", &h.resistance_k_per_w},
        std::pair{"capacity_j_per_k", &h.capacity_j_per_k}})
    for (const double value : *values)
      validate_field(std::isfinite(value) && value > 0, name,
                     "{} (a thermal constant is finite and > 0). Give a positive {}.", value, name);
  for (const auto& [name, value] : {std::pair{"die.resistance_k_per_w", h.die.resistance_k_per_w},
                                    std::pair{"die.capacity_j_per_k", h.die.capacity_j_per_k}})
    validate_field(std::isfinite(value) && value > 0, name,
                   "{} (a thermal constant is finite and > 0). Give a positive {}.", value, name);
}

Vector phase_per_kelvin(const HeaterArray& h) { return pi / (h.p_pi_w.array() * h.resistance_k_per_w.array()); }

std::vector<Warning> die_warnings(const ThermalDie& die, double heater_power_w) {
  std::vector<Warning> warnings;
  const double tau_s = die.resistance_k_per_w * die.capacity_j_per_k;
  if (tau_s < 1e-3 || tau_s > 100)
    warnings.push_back(
        {"capacity_j_per_k", fmt::format("die time constant {:.3g} s, outside 1 ms .. 100 s", tau_s)});
  const double rise_k = heater_power_w * die.resistance_k_per_w;
  if (rise_k > 60)
    warnings.push_back(
        {"heater_power_w",
         fmt::format("{:.3g} W of heaters warm the die by {:.3g} K, more than 60 K", heater_power_w, rise_k)});
  return warnings;
}

}  // namespace optinc
