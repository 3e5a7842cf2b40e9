#include "physics/devices/carrier_shifter.hpp"

#include <cmath>
#include <cstdint>

#include <boost/math/tools/toms748_solve.hpp>
#include <fmt/format.h>

#include "physics/core/check_values.hpp"
#include "physics/core/units.hpp"
#include "physics/devices/phase_shifter.hpp"

namespace optinc {
namespace {

using constants::pi;

constexpr double per_cm3_of_per_m3 = 1e-6, per_m_of_per_cm = 100.0;
constexpr double most_per_cm3 = 1e21;  // silicon's doping saturates there

/// c N^p, and its slope c p N^(p-1), of a density in cm^-3.
double power_law(double coefficient, double density, double power) {
  return coefficient * std::pow(density, power);
}
double power_slope(double coefficient, double density, double power) {
  return coefficient * power * std::pow(density, power - 1);
}

double phase_per_index_rad(const CarrierShifter& d) {
  return 2 * pi * d.overlap * d.length_m / d.dispersion.wavelength_m;
}

/// Changes per carrier (m^3): of the index and of the absorption per m.
struct Slopes {
  double index, absorption;
};
Slopes electron_slopes(const CarrierDispersion& c, double per_m3) {
  const double n = per_m3 * per_cm3_of_per_m3;
  return {
      -per_cm3_of_per_m3 * power_slope(c.electron_index, n, c.electron_index_power),
      per_cm3_of_per_m3 * per_m_of_per_cm * power_slope(c.electron_absorption, n, c.electron_absorption_power)};
}
Slopes hole_slopes(const CarrierDispersion& c, double per_m3) {
  const double n = per_m3 * per_cm3_of_per_m3;
  return {-per_cm3_of_per_m3 * power_slope(c.hole_index, n, c.hole_index_power),
          per_cm3_of_per_m3 * per_m_of_per_cm * power_slope(c.hole_absorption, n, c.hole_absorption_power)};
}

}  // namespace

CarrierDispersion soref_bennett_1987_1550nm() {
  return {8.8e-22, 1.0, 8.5e-18, 0.8, 8.5e-18, 1.0, 6.0e-18, 1.0, 1550e-9};
}

CarrierDispersion soref_bennett_1987_1300nm() {
  return {6.2e-22, 1.0, 6.0e-18, 0.8, 6.0e-18, 1.0, 4.0e-18, 1.0, 1300e-9};
}

CarrierDispersion nedeljkovic_2011_1550nm() {
  return {5.4e-22, 1.011, 1.53e-18, 0.838, 8.88e-21, 1.167, 5.84e-20, 1.109, 1550e-9};
}

CarrierChange carrier_change(const CarrierDispersion& c, const Carriers& carriers) {
  validate_not_negative("electrons_per_m3", carriers.electrons_per_m3);
  validate_not_negative("holes_per_m3", carriers.holes_per_m3);
  const double electrons = carriers.electrons_per_m3 * per_cm3_of_per_m3;
  const double holes = carriers.holes_per_m3 * per_cm3_of_per_m3;
  return {-power_law(c.electron_index, electrons, c.electron_index_power) -
              power_law(c.hole_index, holes, c.hole_index_power),
          per_m_of_per_cm * (power_law(c.electron_absorption, electrons, c.electron_absorption_power) +
                             power_law(c.hole_absorption, holes, c.hole_absorption_power))};
}

double carrier_phase_rad(const CarrierShifter& d, const Carriers& carriers) {
  validate_carrier_shifter(d);
  return phase_per_index_rad(d) * carrier_change(d.dispersion, carriers).index;
}

Complex carrier_field(const CarrierShifter& d, const Carriers& carriers) {
  const double phase = carrier_phase_rad(d, carriers);
  const double absorption = d.overlap * carrier_change(d.dispersion, carriers).absorption_per_m;
  return std::exp(-absorption * d.length_m / 2) * phase_shifter(phase, d.background_loss_db);
}

Carriers carriers_for_phase(const CarrierShifter& d, double phase_rad) {
  validate_carrier_shifter(d);
  validate_finite("phase_rad", phase_rad);
  const double delay = wrap_phase(-phase_rad);
  if (delay == 0.0) return {};
  const double most = most_per_cm3 / per_cm3_of_per_m3;
  const double reach = -carrier_phase_rad(d, {most, most});
  validate(reach >= delay,
           "a carrier shifter of {:g} m cannot delay by {:.4g} rad (even {:g} carriers per cm^3 give {:.4g}). "
           "Make it longer.",
           d.length_m, delay, most_per_cm3, reach);
  const auto miss = [&](double n) { return -carrier_phase_rad(d, {n, n}) - delay; };
  std::uintmax_t steps = 200;
  const auto bracket =
      boost::math::tools::toms748_solve(miss, 0.0, most, boost::math::tools::eps_tolerance<double>(50), steps);
  const double density = (bracket.first + bracket.second) / 2;
  return {density, density};
}

CarrierShifterAtPhase carrier_shifter_at_phase(const CarrierShifter& d, double phase_rad) {
  const Carriers carriers = carriers_for_phase(d, phase_rad);
  const Complex field = carrier_field(d, carriers);
  // at no delay the slope of the phase is infinite for a power below 1: carriers come free of loss at first
  if (carriers.holes_per_m3 == 0.0) return {field, Complex(0, 1) * field};
  const Slopes e = electron_slopes(d.dispersion, carriers.electrons_per_m3);
  const Slopes h = hole_slopes(d.dispersion, carriers.holes_per_m3);
  const double absorption_per_rad =
      d.overlap * (e.absorption + h.absorption) / (phase_per_index_rad(d) * (e.index + h.index));
  return {field, Complex(-d.length_m / 2 * absorption_per_rad, 1) * field};
}

void validate_carrier_shifter(const CarrierShifter& d) {
  validate_positive("length_m", d.length_m);
  validate_positive("dispersion.wavelength_m", d.dispersion.wavelength_m);
  validate_not_negative("background_loss_db", d.background_loss_db);
  validate_field(d.overlap > 0 && d.overlap <= 1, "overlap",
                 "{} (a share of the mode: 0 < overlap <= 1). Give such a share.", d.overlap);
}

std::vector<Warning> carrier_warnings(const Carriers& carriers) {
  std::vector<Warning> warnings;
  for (const auto& [name, density] :
       {std::pair{"electrons_per_m3", carriers.electrons_per_m3}, {"holes_per_m3", carriers.holes_per_m3}})
    if (density > 1e26)
      warnings.push_back(
          {name, fmt::format("{} = {:g} (the fits of index and absorption end at 1e26, that is 1e20 "
                             "per cm^3)",
                             name, density)});
  return warnings;
}

}  // namespace optinc
