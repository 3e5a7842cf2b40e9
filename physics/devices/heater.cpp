#include "physics/devices/heater.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <boost/numeric/odeint.hpp>

#include "physics/core/check.hpp"

namespace optinc {

std::vector<ThermalState> thermal_step_response(const HeaterOnDie& d, double power_w,
                                                const std::vector<double>& times_s) {
  for (const double constant : {d.heater_resistance_k_per_w, d.heater_capacity_j_per_k,
                                d.die_resistance_k_per_w, d.die_capacity_j_per_k})
    validate(std::isfinite(constant) && constant > 0,
             "thermal constant {} of a heater or die (resistances and capacities are finite and > 0). Give a "
             "positive one.",
             constant);
  validate(std::is_sorted(times_s.begin(), times_s.end()) && (times_s.empty() || times_s.front() >= 0),
           "times of a step response are not ascending from 0 (the step is at t = 0). Sort them.");

  namespace odeint = boost::numeric::odeint;
  using State = std::array<double, 2>;
  const auto flow = [&](const State& t, State& rate, double) {
    const double into_die = (t[0] - t[1]) / d.heater_resistance_k_per_w;
    rate[0] = (power_w - into_die) / d.heater_capacity_j_per_k;
    rate[1] = (into_die - t[1] / d.die_resistance_k_per_w) / d.die_capacity_j_per_k;
  };
  std::vector<ThermalState> states;
  State t = {0.0, 0.0};
  const double first_step = 1e-2 * d.heater_resistance_k_per_w * d.heater_capacity_j_per_k;
  // The dense output has no interpolant before its first step: times at the step itself are answered here,
  // integrate_times starts at the first time it is given.
  const auto after_step = std::upper_bound(times_s.begin(), times_s.end(), 0.0);
  states.assign(static_cast<std::size_t>(after_step - times_s.begin()), ThermalState{});
  std::vector<double> from_zero = {0.0};
  from_zero.insert(from_zero.end(), after_step, times_s.end());
  bool at_step = true;
  odeint::integrate_times(odeint::make_dense_output<odeint::runge_kutta_dopri5<State>>(1e-10, 1e-10), flow, t,
                          from_zero.begin(), from_zero.end(), first_step, [&](const State& s, double) {
                            if (!at_step) states.push_back({s[0], s[1]});
                            at_step = false;
                          });
  return states;
}

ThermalState thermal_steady_state(const HeaterOnDie& d, double power_w) {
  const double die = d.die_resistance_k_per_w * power_w;
  return {die + d.heater_resistance_k_per_w * power_w, die};
}

}  // namespace optinc
