#include "physics/devices/thermo_optic_shifter.hpp"

#include <fmt/format.h>

#include "physics/core/check_values.hpp"
#include "physics/core/units.hpp"
#include "physics/devices/phase_shifter.hpp"

namespace optinc {
namespace {

using constants::pi;

constexpr double ten_to_ninety = 2.1972245773362196;  // ln 9: rise time over time constant of one pole

double temperature_pi_k(const ThermoOpticShifter& d) {
  return d.wavelength_m / (2 * d.length_m * d.dn_dt_per_k);
}

/// a = alpha_R DT_pi: relative rise of the resistance at a phase of pi.
double self_heating(const ThermoOpticShifter& d) { return d.resistance_slope_per_k * temperature_pi_k(d); }

void require_phase(double phase_rad) {
  validate_field(std::isfinite(phase_rad) && phase_rad >= 0, "phase_rad",
                 "{} of a heater (heaters only add phase: finite and >= 0). Wrap it into 0..2 pi first.",
                 phase_rad);
}

double bandwidth_of_tau_hz(double tau_s) { return 1 / (2 * pi * tau_s); }

}  // namespace

ThermoOpticFigures thermo_optic_figures(const ThermoOpticShifter& d) {
  validate_thermo_optic(d);
  ThermoOpticFigures f;
  f.temperature_pi_k = temperature_pi_k(d);
  f.thermal_resistance_k_per_w = f.temperature_pi_k / d.p_pi_w;
  f.time_constant_s = 1 / (2 * pi * d.bandwidth_hz);
  f.thermal_capacity_j_per_k = f.time_constant_s / f.thermal_resistance_k_per_w;
  f.v_pi_v = thermo_optic_voltage_v(d, pi);
  f.power_time_j = d.p_pi_w * f.time_constant_s;
  return f;
}

double thermo_optic_phase_rad(const ThermoOpticShifter& d, double voltage_v) {
  validate_thermo_optic(d);
  validate_finite("voltage_v", voltage_v);
  const double x = voltage_v * voltage_v / (d.p_pi_w * d.resistance_ohm);
  return pi * 2 * x / (1 + std::sqrt(1 + 4 * self_heating(d) * x));
}

double thermo_optic_voltage_v(const ThermoOpticShifter& d, double phase_rad) {
  validate_thermo_optic(d);
  require_phase(phase_rad);
  const double u = phase_rad / pi;
  return std::sqrt(d.p_pi_w * d.resistance_ohm * u * (1 + self_heating(d) * u));
}

void validate_thermo_optic(const ThermoOpticShifter& d) {
  validate_positive("length_m", d.length_m);
  validate_positive("dn_dt_per_k", d.dn_dt_per_k);
  validate_positive("p_pi_w", d.p_pi_w);
  validate_positive("resistance_ohm", d.resistance_ohm);
  validate_not_negative("resistance_slope_per_k", d.resistance_slope_per_k);
  validate_positive("bandwidth_hz", d.bandwidth_hz);
  validate_not_negative("loss_db", d.loss_db);
  validate_not_negative("loss_spread_db", d.loss_spread_db);
  validate_positive("wavelength_m", d.wavelength_m);
}

std::vector<Warning> thermo_optic_warnings(const ThermoOpticShifter& d) {
  const ThermoOpticFigures f = thermo_optic_figures(d);
  std::vector<Warning> warnings;
  if (f.power_time_j < 4e-9)
    warnings.push_back(
        {"power_time_j",
         fmt::format("P_pi tau = {:.3g} mW us (published silicon heaters lie at 5..40 mW us; insulation lowers "
                     "P_pi and raises tau alike)",
                     f.power_time_j * 1e9)});
  const auto outside = [&](const char* name, double value, double least, double most, const char* unit) {
    if (value < least || value > most)
      warnings.push_back({name, fmt::format("{} = {:g} (published heaters lie within {:g}..{:g} {})", name,
                                            value, least, most, unit)});
  };
  outside("length_m", d.length_m, 10e-6, 2e-3, "m");
  outside("p_pi_w", d.p_pi_w, 0.05e-3, 30e-3, "W");
  outside("resistance_ohm", d.resistance_ohm, 100, 5000, "ohm");
  outside("resistance_slope_per_k", d.resistance_slope_per_k, 0, 4e-3, "1/K");
  outside("bandwidth_hz", d.bandwidth_hz, 150, 250e3, "Hz");
  outside("loss_db", d.loss_db, 0, 1.5, "dB");
  return warnings;
}

namespace {

/// A heater of metal too far from the light to absorb it: what is left is the guide's own loss. Assumed: no
/// source of such a heater at hand states it.
ThermoOpticShifter with_metal_away(ThermoOpticShifter d) {
  d.loss_db = 0.05;
  d.loss_spread_db = 0.02;
  return d;
}

}  // namespace

ThermoOpticShifter harris_2014_heater() {
  ThermoOpticShifter d;
  d.length_m = 61.6e-6;
  d.p_pi_w = 24.77e-3;
  d.bandwidth_hz = 130.0e3;
  d.loss_db = 0.23;
  d.loss_spread_db = 0.13;
  return d;
}

ThermoOpticShifter lu_2015_suspended_heater() {
  ThermoOpticShifter d = with_metal_away(ThermoOpticShifter{});
  d.p_pi_w = 50e-6;
  d.bandwidth_hz = bandwidth_of_tau_hz(780e-6 / ten_to_ninety);
  return d;
}

ThermoOpticShifter chen_2024_slow_light_heater() {
  constexpr double v_pi_v = 1.1, power_time_j = 5.1e-9;
  ThermoOpticShifter d;
  d.length_m = 50e-6;
  d.p_pi_w = 3.63e-3;
  d.resistance_ohm = v_pi_v * v_pi_v / d.p_pi_w;
  d.bandwidth_hz = bandwidth_of_tau_hz(power_time_j / d.p_pi_w);
  d.loss_db = 1.3;
  return d;
}

ThermoOpticShifter dave_2024_metal_clad_heater() {
  constexpr double tau_s = 1.4e-6, power_time_j = 19.1e-9;
  ThermoOpticShifter d = with_metal_away(ThermoOpticShifter{});
  d.p_pi_w = power_time_j / tau_s;
  d.bandwidth_hz = bandwidth_of_tau_hz(tau_s);
  return d;
}

ThermoOpticShifter typical_metal_heater() {
  ThermoOpticShifter d = with_metal_away(ThermoOpticShifter{});
  d.p_pi_w = 20e-3;
  d.resistance_slope_per_k = 1.5e-3;
  d.bandwidth_hz = bandwidth_of_tau_hz(10e-6);
  return d;
}

ThermoOpticShifter typical_undercut_heater() {
  ThermoOpticShifter d = typical_metal_heater();
  d.p_pi_w = 1e-3;
  d.bandwidth_hz = bandwidth_of_tau_hz(50e-6);
  return d;
}

ThermoOpticShifter typical_doped_silicon_heater() {
  ThermoOpticShifter d = typical_metal_heater();
  d.resistance_slope_per_k = 0.0;            // no number for doped silicon is at hand
  d.loss_db = harris_2014_heater().loss_db;  // carriers absorb, as there
  d.loss_spread_db = harris_2014_heater().loss_spread_db;
  d.bandwidth_hz *= 2.5;
  return d;
}

}  // namespace optinc
