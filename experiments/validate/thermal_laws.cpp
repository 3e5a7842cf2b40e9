#include <cmath>
#include <numbers>

#include "experiments/validate/laws.hpp"
#include "experiments/validate/measure.hpp"
#include "physics/thermal/thermal_dynamics.hpp"

namespace optinc {
namespace {

constexpr double power_w = 24.77e-3;

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

Rise integrated_step(double t) {
  const double times[] = {0.0, t};
  const ThermalHistory h =
      thermal_step_response(small_die(), Vector::Constant(1, power_w), times, Integrator::dopri5);
  return {h.heater_k(0, 1), h.die_k[1]};
}

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
         const ThermalState s = thermal_steady_state(small_die(), Vector::Constant(1, power_w));
         const double rh = 1550e-9 / (2 * 61.6e-6 * 1.8e-4) / 24.77e-3;
         return std::max(std::abs((s.heater_k[0] - s.die_k) / rh / power_w - 1),
                         std::abs(s.die_k / 1000 / power_w - 1));
       })},
  };
}

}  // namespace optinc
