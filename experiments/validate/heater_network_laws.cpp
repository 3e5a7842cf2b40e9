#include <algorithm>
#include <cmath>

#include <Eigen/LU>

#include "experiments/validate/laws.hpp"
#include "experiments/validate/measure.hpp"
#include "physics/thermal/thermal_dynamics.hpp"

// Heaters that heat each other: equations of thermal_network.hpp typed as one dense matrix, and the ladder.

namespace optinc {
namespace {

constexpr double power_w = 24.77e-3;

/// 24 unlike heaters in a chain with some links across, random powers, and the steady state by LU of
///   (1/R_i + sum_j G_ij) T_i - sum_j G_ij T_j - T_d/R_i = P_i,   T_d/R_d - sum_i (T_i - T_d)/R_i = 0.
struct RandomNetwork {
  HeaterArray heaters;
  ThermalNetwork network;
  Vector power_w;
  Vector steady_k;  ///< heaters, then the die
};
RandomNetwork draw_network(const LawTrial& trial) {
  constexpr Eigen::Index count = 24;
  Stream stream = trial.stream(Purpose::heater_spread);
  const auto random = [&](double mean) -> Vector {
    return Vector::NullaryExpr(count, [&] { return mean * (0.5 + stream.uniform()); });
  };
  RandomNetwork n;
  n.heaters = uniform_heaters(Vector::Zero(count), Vector::Zero(count), harris_2014_heater(), {100.0, 4e-9});
  n.heaters.resistance_k_per_w = random(2800);
  n.heaters.capacity_j_per_k = random(4e-10);
  n.power_w = random(power_w);
  const Vector conductance = n.heaters.resistance_k_per_w.cwiseInverse();
  Eigen::MatrixXd balance = Eigen::MatrixXd::Zero(count + 1, count + 1);
  balance.diagonal().head(count) = conductance;
  balance.col(count).head(count) = balance.row(count).head(count).transpose() = -conductance;
  balance(count, count) = conductance.sum() + 1 / n.heaters.die.resistance_k_per_w;
  std::vector<ThermalLink> links;
  for (Eigen::Index i = 0; i < count; ++i)
    for (const Eigen::Index j : {i + 1, i + 5}) {
      if (j >= count) continue;
      const double g = 1e-4 * stream.uniform();
      links.push_back({i, j, g});
      balance(i, i) += g;
      balance(j, j) += g;
      balance(i, j) -= g;
      balance(j, i) -= g;
    }
  n.network = linked_network(n.heaters, links);
  Vector heat(count + 1);
  heat << n.power_w, 0.0;
  n.steady_k = balance.partialPivLu().solve(heat);
  return n;
}

/// Largest distance of a state from the steady one, over the hottest heater.
double distance_from_steady(const RandomNetwork& n, const Vector& heater_k, double die_k) {
  Vector state(heater_k.size() + 1);
  state << heater_k, die_k;
  return (state - n.steady_k).cwiseAbs().maxCoeff<Eigen::PropagateNaN>() / n.steady_k.maxCoeff();
}

double steady_defect(double, const LawTrial& trial) {
  const RandomNetwork n = draw_network(trial);
  const ThermalState s = thermal_steady_state(n.network, n.power_w);
  return distance_from_steady(n, s.heater_k, s.die_k);
}

/// The die's slowest time constant, R_d (C_d + sum C_i), is 1.4 us or less.
double reached_defect(double, const LawTrial& trial) {
  const RandomNetwork n = draw_network(trial);
  const double times[] = {0.0, 100e-6};
  const ThermalHistory h = thermal_step_response(n.network, n.power_w, times, Integrator::dopri5);
  return distance_from_steady(n, h.heater_k.col(1), h.die_k[1]);
}

/// sum_i (T_i - T_d)/R_i and T_d/R_d against sum P.
double energy_defect(double, const LawTrial& trial) {
  const RandomNetwork n = draw_network(trial);
  const ThermalState s = thermal_steady_state(n.network, n.power_w);
  const double into_die = ((s.heater_k.array() - s.die_k) / n.heaters.resistance_k_per_w.array()).sum();
  const double out = s.die_k / n.heaters.die.resistance_k_per_w, in = n.power_w.sum();
  return std::max(std::abs(into_die / in - 1), std::abs(out / in - 1));
}

/// Largest difference of two ways through time, over the hottest heater.
double integrator_defect(Integrator integrator, double t, const LawTrial& trial) {
  const RandomNetwork n = draw_network(trial);
  const double times[] = {0.0, t};
  const ThermalHistory a = thermal_step_response(n.network, n.power_w, times, integrator);
  const ThermalHistory b = thermal_step_response(n.network, n.power_w, times, Integrator::dopri5);
  return (a.heater_k - b.heater_k).cwiseAbs().maxCoeff<Eigen::PropagateNaN>() / b.heater_k.maxCoeff();
}

/// Rise over the die two heaters from a hot one over that of the one between, in a chain long enough to have no
/// ends.
double ladder_ratio(double link_over_leak) {
  constexpr Eigen::Index count = 201, hot = 100;
  const HeaterArray heaters =
      uniform_heaters(Vector::Zero(count), Vector::Zero(count), harris_2014_heater(), {0.5, 0.46});
  std::vector<ThermalLink> links;
  for (Eigen::Index i = 0; i + 1 < count; ++i)
    links.push_back({i, i + 1, link_over_leak / heaters.resistance_k_per_w[0]});
  const ThermalState s =
      thermal_steady_state(linked_network(heaters, links), Vector::Unit(count, hot) * power_w);
  return (s.heater_k[hot + 2] - s.die_k) / (s.heater_k[hot + 1] - s.die_k);
}

/// The exact ways through time.
std::vector<Law> integrator_laws() {
  std::vector<Law> list;
  for (const auto& [integrator, name] :
       {std::pair{Integrator::exponential, "exponential"}, {Integrator::eigen, "eigenvectors"}})
    list.push_back({.row = "15",
                    .name = std::string(name) + " against dopri5",
                    .formula = "one network, two ways: equal",
                    .quantity = "largest difference over the hottest heater",
                    .expected = constant(0),
                    .absolute_tolerance = 1e-7,
                    .measure = largest_of([i = integrator](double t, const LawTrial& trial) {
                      return integrator_defect(i, t, trial);
                    }),
                    .axis = {"t", "s", "time after the step"},
                    .points = {{1e-7, 10}, {1e-6, 10}, {1e-5, 10}}});
  return list;
}

}  // namespace

std::vector<Law> heater_network_laws() {
  std::vector<Law> list = {
      {.row = "15",
       .name = "steady state by LU",
       .formula = "G T = P, 24 heaters and die",
       .quantity = "largest deviation over the hottest heater",
       .expected = constant(0),
       .absolute_tolerance = 1e-9,
       .measure = largest_of(steady_defect),
       .points = {{0, 50}}},
      {.row = "15",
       .name = "steady state reached in time",
       .formula = "T(100 us) = G^-1 P, 24 heaters and die",
       .quantity = "largest deviation over the hottest heater",
       .expected = constant(0),
       .absolute_tolerance = 1e-6,
       .measure = largest_of(reached_defect),
       .points = {{0, 10}}},
      {.row = "15",
       .name = "energy balance of a network",
       .kind = LawKind::conservation,
       .formula = "sum (T_i - T_d)/R_i = sum P = T_d/R_d",
       .quantity = "larger deviation of the two heat flows, relative",
       .expected = constant(0),
       .absolute_tolerance = 1e-9,
       .measure = largest_of(energy_defect),
       .points = {{0, 50}}},
      {.row = "15",
       .name = "ladder of heaters",
       .kind = LawKind::analytic,
       .formula = "(a - sqrt(a^2 - 4))/2, a = 2 + G_s/G_x",
       .quantity = "steady rise over that of the neighbour nearer to the source",
       .expected =
           [](double x) {
             const double a = 2 + 1 / x;
             return (a - std::sqrt(a * a - 4)) / 2;
           },
       .relative_tolerance = 1e-6,
       .measure = value_of(ladder_ratio),
       .axis = {"G_x / G_s", "1", "conductance to a neighbour over that to the die"},
       .points = {{0.02}, {0.1}, {1}, {10}}},
  };
  for (Law& law : integrator_laws()) list.push_back(std::move(law));
  return list;
}

}  // namespace optinc
