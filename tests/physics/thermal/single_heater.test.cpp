// One heater on a die, through the explicit integrator, against the solution of the 2x2 linear system typed
// here (rows 15 and 17).

#include <cmath>
#include <vector>

#include "physics/core/check.hpp"
#include "physics/devices/mzi.hpp"
#include "physics/thermal/thermal_dynamics.hpp"

#include "tests/support/catch.hpp"

using namespace optinc;

namespace {

/// Thermal constants of one heater and its die; defaults as the design's, rounded.
struct HeaterOnDie {
  double heater_resistance_k_per_w = 2822.0, heater_capacity_j_per_k = 4.34e-10;
  double die_resistance_k_per_w = 0.5, die_capacity_j_per_k = 0.46;
};

struct Rise {
  double heater_k = 0.0, die_k = 0.0;
};

ThermalNetwork network_of(const HeaterOnDie& d) {
  HeaterArray heater = uniform_heaters(Vector::Zero(1), Vector::Zero(1));
  heater.resistance_k_per_w[0] = d.heater_resistance_k_per_w;
  heater.capacity_j_per_k[0] = d.heater_capacity_j_per_k;
  heater.die = {d.die_resistance_k_per_w, d.die_capacity_j_per_k};
  return linked_network(heater);
}

std::vector<Rise> step_response(const HeaterOnDie& d, double power_w, const std::vector<double>& times_s) {
  const ThermalHistory h =
      thermal_step_response(network_of(d), Vector::Constant(1, power_w), times_s, Integrator::dopri5);
  std::vector<Rise> rises;
  for (Eigen::Index k = 0; k < h.die_k.size(); ++k) rises.push_back({h.heater_k(0, k), h.die_k[k]});
  return rises;
}

Rise steady_state(const HeaterOnDie& d, double power_w) {
  const ThermalState state = thermal_steady_state(network_of(d), Vector::Constant(1, power_w));
  return {state.heater_k[0], state.die_k};
}

/// A die so light that its 50 us show in the same window as the heater's 1.2 us.
HeaterOnDie light_die() {
  HeaterOnDie d;
  d.die_resistance_k_per_w = 700;
  d.die_capacity_j_per_k = 7e-8;
  return d;
}

}  // namespace

// fails when the steady state leaves the die out of the heater's temperature
TEST_CASE("steady state: the step ends there, and all power leaves through the die") {
  const HeaterOnDie d = light_die();
  const double power = 10e-3;
  const Rise steady = steady_state(d, power);
  CHECK(steady.die_k == Approx(7.0).epsilon(1e-14));
  CHECK(steady.heater_k == Approx(35.22).epsilon(1e-14));
  CHECK(steady.die_k / d.die_resistance_k_per_w == Approx(power).epsilon(1e-14));
  const auto states = step_response(d, power, {0.0, 2e-3});  // 40 die time constants
  CHECK(states[1].heater_k == Approx(steady.heater_k).epsilon(1e-8));
  CHECK(states[1].die_k == Approx(steady.die_k).epsilon(1e-8));
}

// fails when a factor 2 enters the heater's conductance. A die of zero resistance is the single node.
TEST_CASE("single node: rises from 10 to 90 % in 2.197 time constants") {
  HeaterOnDie d;
  d.die_resistance_k_per_w = 1e-9;
  d.die_capacity_j_per_k = 1e3;
  const double tau = d.heater_resistance_k_per_w * d.heater_capacity_j_per_k;
  const double power = 24.77e-3, final_k = d.heater_resistance_k_per_w * power;
  std::vector<double> times;
  for (int k = 0; k <= 4000; ++k) times.push_back(k * 1e-3 * tau);
  const auto states = step_response(d, power, times);
  const auto crossing = [&](double level) {
    std::size_t k = 0;
    while (states[k].heater_k < level * final_k) ++k;
    const double before = states[k - 1].heater_k, after = states[k].heater_k;
    return times[k - 1] + (times[k] - times[k - 1]) * (level * final_k - before) / (after - before);
  };
  CHECK((crossing(0.9) - crossing(0.1)) / tau == Approx(2.1972245773362196).epsilon(1e-6));
  for (std::size_t k = 0; k < times.size(); k += 500)
    CHECK(states[k].heater_k == Approx(-std::expm1(-times[k] / tau) * final_k).epsilon(1e-8).margin(1e-9));
}

// fails when the network's rate is not 1 / (R C), or when a power held for a step reaches the next one
TEST_CASE("single node: a sine of power at f_3dB comes out 3 dB lower, a quarter of pi late") {
  HeaterOnDie d;
  d.die_resistance_k_per_w = 1e-9;
  d.die_capacity_j_per_k = 1e3;
  const ThermalNetwork network = network_of(d);
  const double tau = d.heater_resistance_k_per_w * d.heater_capacity_j_per_k, power = 10e-3;
  const int steps = 400;  // per period of f_3dB = 1 / (2 pi tau)
  const double step_s = 2 * 3.14159265358979 * tau / steps;
  ThermalState state{Vector::Zero(1), 0.0};
  const std::vector<double> times = {0.0, step_s}, ambient = {0.0, 0.0};
  double in_phase = 0, late = 0;
  for (int k = 0; k < 4 * steps; ++k) {  // the first periods let the transient die away: e^-19
    const double angle = 2 * 3.14159265358979 * k / steps, held = angle + 3.14159265358979 / steps;
    if (k >= 3 * steps) {
      in_phase += 2 * state.heater_k[0] * std::sin(angle) / steps;
      late -= 2 * state.heater_k[0] * std::cos(angle) / steps;
    }
    const auto h = integrate_thermal(network, state, Vector::Constant(1, power * (1 + std::sin(held))), times,
                                     ambient, Integrator::eigen);
    state = {h.heater_k.col(1), h.die_k[1]};
  }
  CHECK(std::hypot(in_phase, late) ==
        Approx(d.heater_resistance_k_per_w * power / std::sqrt(2.0)).epsilon(1e-4));
  CHECK(late / in_phase == Approx(1.0).epsilon(1e-4));
}

// fails when the output power is taken to follow the temperature
TEST_CASE("a switched MZI: its power is sin^2(theta(t) / 2), not an exponential") {
  HeaterOnDie d;
  d.die_resistance_k_per_w = 1e-9;
  d.die_capacity_j_per_k = 1e3;
  const double tau = d.heater_resistance_k_per_w * d.heater_capacity_j_per_k, p_pi_w = 24.77e-3;
  const double rad_per_k = 3.14159265358979 / (d.heater_resistance_k_per_w * p_pi_w);
  std::vector<double> times;
  for (int k = 0; k <= 4000; ++k) times.push_back(k * 1e-3 * tau);
  const auto states = step_response(d, p_pi_w, times);
  std::vector<double> bar;
  for (std::size_t k = 0; k < times.size(); ++k) {
    bar.push_back(std::norm(mzi({rad_per_k * states[k].heater_k, 0.0})(0, 0)));
    const double theta = 3.14159265358979 * -std::expm1(-times[k] / tau);
    REQUIRE(std::abs(bar.back() - std::pow(std::sin(theta / 2), 2)) < 1e-7);
  }
  const auto crossing = [&](double level) {
    std::size_t k = 0;
    while (bar[k] < level) ++k;
    return times[k - 1] + (times[k] - times[k - 1]) * (level - bar[k - 1]) / (bar[k] - bar[k - 1]);
  };
  // theta = 2 asin(sqrt(level)): from 0.229203 tau to 1.585561 tau, where an exponential takes 2.197 tau
  CHECK((crossing(0.9) - crossing(0.1)) / tau == Approx(1.356358).epsilon(1e-5));
}

// Fails when the array takes another resistance than the design's
TEST_CASE("an array of heaters has its design's figures") {
  const HeaterArray one = uniform_heaters(Vector::Zero(1), Vector::Zero(1));
  CHECK(one.resistance_k_per_w[0] == Approx(2822).epsilon(0.005));
  CHECK(one.capacity_j_per_k[0] == Approx(4.34e-10).epsilon(0.005));
  CHECK(phase_per_kelvin(one)[0] * 69.9 == Approx(3.14159).epsilon(0.005));
}

TEST_CASE("step response: one instant, and what is refused") {
  CHECK(step_response({}, 1e-3, {0.0}).size() == 1);
  CHECK_THROWS_WITH(step_response({}, 1e-3, {}), ContainsSubstring("0 instants"));
  const auto states = step_response({}, 1e-3, {0.0, 1e-6});
  CHECK(states[0].heater_k == 0.0);
  CHECK(states[1].heater_k > 0.0);
  CHECK_THROWS_WITH(step_response({}, 1e-3, {1e-6, 0.5e-6}), ContainsSubstring("Sort them"));
  CHECK_THROWS_WITH(step_response({}, 1e-3, {1e-6, 1e-6}), ContainsSubstring("do not ascend"));
  HeaterOnDie bad;
  bad.die_capacity_j_per_k = 0;
  CHECK_THROWS_WITH(step_response(bad, 1e-3, {0.0, 1e-6}), ContainsSubstring("die.capacity_j_per_k = 0"));
  bad = {};
  bad.heater_capacity_j_per_k = -1;
  CHECK_THROWS_AS(step_response(bad, 1e-3, {0.0, 1e-6}), Error);
}
