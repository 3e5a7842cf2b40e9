#include <cmath>
#include <numbers>

#include "experiments/validate/laws.hpp"
#include "experiments/validate/measure.hpp"
#include "physics/devices/thermo_optic_shifter.hpp"
#include "physics/thermal/thermal_dynamics.hpp"

namespace optinc {
namespace {

constexpr double power_w = 24.77e-3;
const LawAxis time_axis = {"t", "s", "time after the step"};
const std::vector<LawPoint> step_times = {{3e-7}, {1e-6}, {3e-6}, {1e-5}, {1e-4}};

/// A heater of Harris 2014 on a die so small that it warms within some ten heater time constants.
ThermalNetwork small_die() {
  return linked_network(
      uniform_heaters(Vector::Zero(1), Vector::Zero(1), harris_2014_heater(), {1000.0, 4e-9}));
}

struct Rise {
  double heater_k, die_k;
};

/// Heater and die after a step of the power: T(t) = T_ss - expm(A t) T_ss with
/// expm(A t) = e^{m t} [cosh(q t) 1 + sinh(q t)/q (A - m 1)], m = tr(A)/2, q^2 = m^2 - det(A).
Rise exact_step(double t) {
  // R_h = lambda/(2 L dn/dT) / P_pi and C_h = 1/(2 pi f R_h) of 61.6 um, 24.77 mW, 130 kHz
  const double rh = 1550e-9 / (2 * 61.6e-6 * 1.8e-4) / 24.77e-3, ch = 1 / (2 * std::numbers::pi * 130e3 * rh);
  const double rd = 1000, cd = 4e-9;
  const double a = -1 / (rh * ch), b = 1 / (rh * ch), c = 1 / (rh * cd), d = -(1 / rh + 1 / rd) / cd;
  const double m = (a + d) / 2, q = std::sqrt(m * m - (a * d - b * c));
  const double even = std::exp(m * t) * std::cosh(q * t), odd = std::exp(m * t) * std::sinh(q * t) / q;
  const double heater = (rh + rd) * power_w, die = rd * power_w;
  return {heater - even * heater - odd * ((a - m) * heater + b * die),
          die - even * die - odd * (c * heater + (d - m) * die)};
}

Rise integrated_step(double t, Integrator integrator) {
  const double times[] = {0.0, t};
  const ThermalHistory h = thermal_step_response(small_die(), Vector::Constant(1, power_w), times, integrator);
  return {h.heater_k(0, 1), h.die_k[1]};
}

/// The exact ways through time.
std::vector<Law> exact_integrator_laws() {
  std::vector<Law> list;
  for (const auto& [integrator, name] :
       {std::pair{Integrator::exponential, "exponential"}, {Integrator::eigen, "eigenvectors"}}) {
    list.push_back({.row = "15",
                    .name = std::string("heater step, ") + name,
                    .kind = LawKind::analytic,
                    .formula = "T_ss - expm(A t) T_ss, two nodes",
                    .quantity = "temperature of the heater over ambient",
                    .unit = "K",
                    .expected = [](double t) { return exact_step(t).heater_k; },
                    .relative_tolerance = 1e-9,
                    .measure = value_of([i = integrator](double t) { return integrated_step(t, i).heater_k; }),
                    .axis = time_axis,
                    .points = step_times});
  }
  return list;
}

/// Harris 2014 (arXiv:1410.3616): what its length, pi power and bandwidth amount to.
std::vector<Law> harris_laws() {
  const auto figure = [](std::string name, std::string formula, std::string unit, double published,
                         double ThermoOpticFigures::*member) {
    return Law{
        .row = "17",
        .name = "Harris heater, " + name,
        .kind = LawKind::published,
        .formula = std::move(formula),
        .quantity = name,
        .unit = std::move(unit),
        .expected = constant(published),
        .relative_tolerance = 5e-3,
        .measure = value_of([member](double) { return thermo_optic_figures(harris_2014_heater()).*member; })};
  };
  return {
      figure("rise for pi", "lambda / (2 L dn/dT) = 69.9 K", "K", 69.9, &ThermoOpticFigures::temperature_pi_k),
      figure("thermal resistance", "2822 K/W", "K/W", 2822, &ThermoOpticFigures::thermal_resistance_k_per_w),
      figure("time constant", "1 / (2 pi 130 kHz) = 1.224 us", "s", 1.224e-6,
             &ThermoOpticFigures::time_constant_s),
      figure("heat capacity", "4.34e-10 J/K", "J/K", 4.34e-10, &ThermoOpticFigures::thermal_capacity_j_per_k),
      figure("voltage for pi", "sqrt(24.77 mW 1 kohm) = 4.98 V", "V", 4.98, &ThermoOpticFigures::v_pi_v),
  };
}

std::vector<Law> single_heater_laws() {
  return {
      {.row = "15",
       .name = "heater step",
       .kind = LawKind::analytic,
       .formula = "T_ss - expm(A t) T_ss, two nodes",
       .quantity = "temperature of the heater over ambient",
       .unit = "K",
       .expected = [](double t) { return exact_step(t).heater_k; },
       .relative_tolerance = 1e-6,
       .measure = value_of([](double t) { return integrated_step(t, Integrator::dopri5).heater_k; }),
       .axis = time_axis,
       .points = step_times},
      {.row = "15",
       .name = "die step",
       .kind = LawKind::analytic,
       .formula = "T_ss - expm(A t) T_ss, two nodes",
       .quantity = "temperature of the die over ambient",
       .unit = "K",
       .expected = [](double t) { return exact_step(t).die_k; },
       .relative_tolerance = 1e-6,
       .measure = value_of([](double t) { return integrated_step(t, Integrator::dopri5).die_k; }),
       .axis = time_axis,
       .points = step_times},
      {.row = "15",
       .name = "energy balance of a heater",
       .kind = LawKind::conservation,
       .formula = "(T_h - T_d) / R_h = P = T_d / R_d in steady state",
       .quantity = "larger deviation of the two heat flows, relative",
       .expected = constant(0),
       .absolute_tolerance = 1e-9,
       .measure = value_of([](double) {
         const ThermalState s = thermal_steady_state(small_die(), Vector::Constant(1, power_w));
         const double rh = 1550e-9 / (2 * 61.6e-6 * 1.8e-4) / 24.77e-3;
         return std::max(std::abs((s.heater_k[0] - s.die_k) / rh / power_w - 1),
                         std::abs(s.die_k / 1000 / power_w - 1));
       })},
  };
}

}  // namespace

std::vector<Law> thermal_laws() {
  std::vector<Law> list;
  for (const auto& part : {single_heater_laws, exact_integrator_laws, harris_laws})
    for (Law& law : part()) list.push_back(std::move(law));
  return list;
}

}  // namespace optinc
