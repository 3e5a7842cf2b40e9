#include <cmath>

#include "experiments/validate/laws.hpp"
#include "experiments/validate/measure.hpp"
#include "physics/devices/heater.hpp"

namespace optinc {
namespace {

constexpr double power_w = 24.77e-3;

/// A heater of Harris 2014 on a die so small that it warms within some ten heater time constants.
HeaterOnDie small_die() {
  HeaterOnDie device;
  device.die_resistance_k_per_w = 1000;
  device.die_capacity_j_per_k = 4e-9;
  return device;
}

/// Heater and die after a step of the power: T(t) = T_ss - expm(A t) T_ss with
/// expm(A t) = e^{m t} [cosh(q t) 1 + sinh(q t)/q (A - m 1)], m = tr(A)/2, q^2 = m^2 - det(A).
ThermalState exact_step(double t) {
  const double rh = 2822, ch = 4.34e-10, rd = 1000, cd = 4e-9;
  const double a = -1 / (rh * ch), b = 1 / (rh * ch), c = 1 / (rh * cd), d = -(1 / rh + 1 / rd) / cd;
  const double m = (a + d) / 2, q = std::sqrt(m * m - (a * d - b * c));
  const double even = std::exp(m * t) * std::cosh(q * t), odd = std::exp(m * t) * std::sinh(q * t) / q;
  const double heater = (rh + rd) * power_w, die = rd * power_w;
  return {heater - even * heater - odd * ((a - m) * heater + b * die),
          die - even * die - odd * (c * heater + (d - m) * die)};
}

ThermalState integrated_step(double t) { return thermal_step_response(small_die(), power_w, {t}).front(); }

}  // namespace

std::vector<Law> thermal_laws() {
  const LawAxis time = {"t", "s", "time after the step"};
  const std::vector<LawPoint> times = {{3e-7}, {1e-6}, {3e-6}, {1e-5}, {1e-4}};
  return {
      {.row = "15",
       .name = "heater step",
       .kind = LawKind::analytic,
       .formula = "T_ss - expm(A t) T_ss, two nodes",
       .quantity = "temperature of the heater over ambient",
       .unit = "K",
       .expected = [](double t) { return exact_step(t).heater_k; },
       .relative_tolerance = 1e-6,
       .measure = value_of([](double t) { return integrated_step(t).heater_k; }),
       .axis = time,
       .points = times},
      {.row = "15",
       .name = "die step",
       .kind = LawKind::analytic,
       .formula = "T_ss - expm(A t) T_ss, two nodes",
       .quantity = "temperature of the die over ambient",
       .unit = "K",
       .expected = [](double t) { return exact_step(t).die_k; },
       .relative_tolerance = 1e-6,
       .measure = value_of([](double t) { return integrated_step(t).die_k; }),
       .axis = time,
       .points = times},
      {.row = "15",
       .name = "energy balance of a heater",
       .kind = LawKind::conservation,
       .formula = "(T_h - T_d) / R_h = P = T_d / R_d in steady state",
       .quantity = "larger deviation of the two heat flows, relative",
       .expected = constant(0),
       .absolute_tolerance = 1e-9,
       .measure = value_of([](double) {
         const HeaterOnDie d = small_die();
         const ThermalState s = thermal_steady_state(d, power_w);
         return std::max(std::abs((s.heater_k - s.die_k) / d.heater_resistance_k_per_w / power_w - 1),
                         std::abs(s.die_k / d.die_resistance_k_per_w / power_w - 1));
       })},
  };
}

}  // namespace optinc
