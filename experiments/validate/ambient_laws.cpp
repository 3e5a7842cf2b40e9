#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "experiments/validate/laws.hpp"
#include "experiments/validate/measure.hpp"
#include "physics/devices/thermo_optic_shifter.hpp"
#include "physics/thermal/thermal_dynamics.hpp"

// An ambient that changes: a ramp and a swing, against closed forms of one and of two poles, by every way
// through time. y(t) = T(t), A the rates of heater and die; a heater without power.

namespace optinc {
namespace {

using std::numbers::pi;

constexpr double ramp_k_per_s = 1e5, swing_k = 1.0, swing_rad_per_s = 2 * pi / 20e-6;
// R and C of Harris 2014's heater (lambda/(2 L dn/dT) / P_pi, 1/(2 pi f R)) and of a die that warms in 4 us
constexpr double rh = 1550e-9 / (2 * 61.6e-6 * 1.8e-4) / 24.77e-3, ch = 1 / (2 * pi * 130e3 * rh);
constexpr double rd = 1000, cd = 4e-9;

struct Pair {
  double heater, die;
};

/// expm(A t) v with A = [[-1, 1]/(R_h C_h), [1/R_h, -(1/R_h + 1/R_d)]/C_d], by m = tr(A)/2, q^2 = m^2 - det(A).
Pair decayed(double t, Pair v) {
  const double a = -1 / (rh * ch), b = 1 / (rh * ch), c = 1 / (rh * cd), d = -(1 / rh + 1 / rd) / cd;
  const double m = (a + d) / 2, q = std::sqrt(m * m - (a * d - b * c));
  const double even = std::exp(m * t) * std::cosh(q * t), odd = std::exp(m * t) * std::sinh(q * t) / q;
  return {even * v.heater + odd * ((a - m) * v.heater + b * v.die),
          even * v.die + odd * (c * v.heater + (d - m) * v.die)};
}

/// Behind a ramp s t: T = s (t - lag) + expm(A t) s lag; the die lags R_d (C_d + C_h), the heater R_h C_h more.
Pair exact_ramp(double t) {
  const double die_lag = rd * (cd + ch), heater_lag = die_lag + rh * ch;
  const Pair rest = decayed(t, {heater_lag, die_lag});
  return {ramp_k_per_s * (t - heater_lag + rest.heater), ramp_k_per_s * (t - die_lag + rest.die)};
}

/// Behind a swing a sin(w t): T_d = Im H e^{iwt}, H = a / (1 + i w R_d (C_d + C_h / (1 + i w R_h C_h))), the
/// heater H / (1 + i w R_h C_h) of it, less what of both is there at t = 0, decayed.
Pair exact_swing(double t) {
  using Complex = std::complex<double>;
  const double w = swing_rad_per_s;
  const Complex of_heater = 1.0 / Complex(1, w * rh * ch);
  const Complex die = swing_k / (1.0 + Complex(0, w * rd) * (cd + ch * of_heater)), heater = die * of_heater;
  const Complex turn = std::polar(1.0, w * t);
  const Pair start = decayed(t, {heater.imag(), die.imag()});
  return {(heater * turn).imag() - start.heater, (die * turn).imag() - start.die};
}

/// One pole, tau = R_d C_d: what is left once heaters follow at once.
double one_pole_ramp(double t) {
  const double tau = rd * cd;
  return ramp_k_per_s * (t + tau * std::expm1(-t / tau));
}
double one_pole_swing(double t) {
  const double w = swing_rad_per_s, x = w * rd * cd;
  return swing_k / (1 + x * x) * (std::sin(w * t) - x * std::cos(w * t) + x * std::exp(-t / (rd * cd)));
}

ThermalNetwork small_die() {
  return linked_network(uniform_heaters(Vector::Zero(1), Vector::Zero(1), harris_2014_heater(), {rd, cd}));
}

/// The heater at the last of `instants` equal steps; the ambient is linear between them.
template <class Ambient>
double followed(double t, int steps, Integrator integrator, Ambient ambient) {
  std::vector<double> times(static_cast<std::size_t>(steps) + 1), ambient_k(times.size());
  for (std::size_t k = 0; k < times.size(); ++k) {
    times[k] = t * static_cast<double>(k) / steps;
    ambient_k[k] = ambient(times[k]);
  }
  const ThermalHistory h =
      integrate_thermal(small_die(), {Vector::Zero(1), 0.0}, Vector::Zero(1), times, ambient_k, integrator);
  return h.heater_k(0, steps);
}

double ramp(double t, Integrator integrator) {
  return followed(t, 1, integrator, [](double at) { return ramp_k_per_s * at; });
}

/// 100 steps a us: chords of the sine are a (w h)^2 / 8 = 1.2e-6 off at most.
double swing(double t, Integrator integrator) {
  const int steps = static_cast<int>(std::ceil(t / 1e-8));
  return followed(t, steps, integrator, [](double at) { return swing_k * std::sin(swing_rad_per_s * at); });
}

}  // namespace

std::vector<Law> ambient_laws() {
  std::vector<Law> list;
  const std::vector<LawPoint> times = {{1e-6}, {4e-6}, {1.3e-5}, {3e-5}};
  for (const auto& [integrator, name] : {std::pair{Integrator::dopri5, "dopri5"},
                                         {Integrator::rosenbrock4, "rosenbrock4"},
                                         {Integrator::exponential, "exponential"},
                                         {Integrator::eigen, "eigenvectors"},
                                         {Integrator::quasi_static, "quasi-static"}}) {
    const bool one_pole = integrator == Integrator::quasi_static;
    const auto law = [&, name = name](const std::string& what, std::string formula,
                                      std::function<double(double)> expected, double tolerance_k,
                                      std::function<double(double)> found) {
      list.push_back({.row = "15",
                      .name = what + ", " + name,
                      .kind = LawKind::analytic,
                      .formula = std::move(formula),
                      .quantity = "temperature of an unpowered heater over the first ambient",
                      .unit = "K",
                      .expected = std::move(expected),
                      .absolute_tolerance = tolerance_k,
                      .measure = value_of(std::move(found)),
                      .axis = {"t", "s", "time since the ambient began to change"},
                      .points = times});
    };
    law(
        "ramp of the ambient",
        one_pole ? "s (t - tau (1 - e^(-t/tau))), tau = R_d C_d" : "s (t - lag + expm(A t) lag), two nodes",
        one_pole ? one_pole_ramp : [](double t) { return exact_ramp(t).heater; }, 1e-6,
        [i = integrator](double t) { return ramp(t, i); });
    law(
        "swing of the ambient",
        one_pole ? "a (sin wt - x cos wt + x e^(-t/tau)) / (1 + x^2), x = w tau"
                 : "Im H e^(iwt) less its start decayed, two nodes",
        one_pole ? one_pole_swing : [](double t) { return exact_swing(t).heater; }, 3e-6,
        [i = integrator](double t) { return swing(t, i); });
  }
  return list;
}

}  // namespace optinc
