#include "physics/thermal/thermal_dynamics.hpp"

#include <algorithm>
#include <cmath>

#include "physics/core/check.hpp"
#include "physics/thermal/detail/thermal_steps.hpp"

namespace optinc {
namespace {

using Index = Eigen::Index;

constexpr Index most_rosenbrock_states = 500, most_eigen_states = 2000, most_automatic_eigen_states = 500;
constexpr double most_explicit_time_constants = 1000;

void validate_instants(std::span<const double> times_s, std::span<const double> ambient_k) {
  validate(!times_s.empty() && times_s.size() == ambient_k.size(),
           "{} instants with {} ambient temperatures (one each, at least one). Give as many.", times_s.size(),
           ambient_k.size());
  const auto finite = [](double value) { return std::isfinite(value); };
  validate(std::all_of(times_s.begin(), times_s.end(), finite) &&
               std::all_of(ambient_k.begin(), ambient_k.end(), finite),
           "an instant or an ambient temperature is not finite (s and K). Give finite values.");
  validate(
      std::adjacent_find(times_s.begin(), times_s.end(), std::greater_equal<>()) == times_s.end(),
      "instants of a thermal history do not ascend (each is later than the one before). Sort them and drop "
      "doubles.");
}

}  // namespace

Integrator choose_integrator(const ThermalNetwork& network, double window_s) {
  if (window_s * fastest_rate_per_s(network) <= most_explicit_time_constants) return Integrator::dopri5;
  return network.heaters() + 1 <= most_automatic_eigen_states ? Integrator::eigen : Integrator::quasi_static;
}

Vector die_history(const ThermalDie& die, double total_power_w, double initial_k,
                   std::span<const double> times_s, std::span<const double> ambient_k) {
  validate_instants(times_s, ambient_k);
  const double rate = 1 / (die.resistance_k_per_w * die.capacity_j_per_k);
  validate(std::isfinite(rate) && rate > 0,
           "a die of {} K/W and {} J/K (both finite and > 0). Give positive ones.", die.resistance_k_per_w,
           die.capacity_j_per_k);
  Vector die_k(static_cast<Index>(times_s.size()));
  double now = initial_k;
  for (std::size_t k = 0; k < times_s.size(); ++k) {
    die_k[static_cast<Index>(k)] = now;
    if (k + 1 == times_s.size()) break;
    const double step = times_s[k + 1] - times_s[k], z = rate * step;
    const double towards = rate * (ambient_k[k] + die.resistance_k_per_w * total_power_w - now);
    now += step * phi_1(z) * towards + step * phi_2(z) * rate * (ambient_k[k + 1] - ambient_k[k]);
  }
  return die_k;
}

ThermalHistory integrate_thermal(const ThermalNetwork& network, const ThermalState& initial,
                                 const Vector& power_w, std::span<const double> times_s,
                                 std::span<const double> ambient_k, Integrator integrator) {
  validate_network(network);
  validate_instants(times_s, ambient_k);
  const Index heaters = network.heaters(), states = heaters + 1;
  validate(power_w.size() == heaters && initial.heater_k.size() == heaters,
           "{} powers and {} initial temperatures for {} heaters (one each). Give as many.", power_w.size(),
           initial.heater_k.size(), heaters);
  validate(power_w.allFinite() && initial.heater_k.allFinite() && std::isfinite(initial.die_k),
           "a power or an initial temperature is not finite (W and K). Give finite values.");
  if (integrator == Integrator::automatic)
    integrator = choose_integrator(network, times_s.back() - times_s.front());
  validate(integrator != Integrator::rosenbrock4 || states <= most_rosenbrock_states,
           "rosenbrock4 for {} thermal states (its dense factorisation in every step: at most {}). Choose "
           "quasi-static "
           "for steps far above the heaters' time constants, exponential otherwise.",
           states, most_rosenbrock_states);
  validate(integrator != Integrator::eigen || states <= most_eigen_states,
           "eigen for {} thermal states (dense eigenvectors: at most {}). Choose quasi-static for steps far "
           "above the "
           "heaters' time constants, exponential otherwise.",
           states, most_eigen_states);
  if (integrator == Integrator::quasi_static) {
    const Vector rise = thermal_steady_state(network, power_w).heater_k.array() -
                        network.die.resistance_k_per_w * power_w.sum();
    ThermalHistory history{
        integrator, {}, die_history(network.die, power_w.sum(), initial.die_k, times_s, ambient_k)};
    history.heater_k = rise.replicate(1, history.die_k.size()).rowwise() + history.die_k.transpose();
    return history;
  }
  const ThermalSystem system = thermal_system(network);
  const ThermalRun run{system, power_w, 1 / network.die.resistance_k_per_w, times_s, ambient_k};
  Eigen::MatrixXd states_k(states, static_cast<Index>(times_s.size()));
  states_k.col(0) << initial.heater_k, initial.die_k;
  if (times_s.size() > 1) {
    switch (integrator) {
      case Integrator::dopri5:
        run_dopri5(run, fastest_rate_per_s(network), states_k);
        break;
      case Integrator::rosenbrock4:
        run_rosenbrock4(run, states_k);
        break;
      case Integrator::eigen:
        run_eigen(run, states_k);
        break;
      case Integrator::exponential:
        run_exponential(run, fastest_rate_per_s(network), states_k);
        break;
      default:
        throw Error(fmt::format("thermal integrator {} (none of the enumeration). Name one.",
                                static_cast<int>(integrator)));
    }
  }
  return {integrator, states_k.topRows(heaters), states_k.row(heaters).transpose()};
}

ThermalHistory thermal_step_response(const ThermalNetwork& network, const Vector& power_w,
                                     std::span<const double> times_s, Integrator integrator) {
  const std::vector<double> ambient_k(times_s.size(), 0.0);
  return integrate_thermal(network, {Vector::Zero(network.heaters()), 0.0}, power_w, times_s, ambient_k,
                           integrator);
}

}  // namespace optinc
