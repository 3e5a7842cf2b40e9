// Boost.Odeint's step response against the solution of the 2x2 linear system typed here (rows 15 and 17).

#include "physics/devices/heater.hpp"

#include <cmath>

#include "physics/core/check.hpp"

#include "tests/support/catch.hpp"

using namespace optinc;

namespace {

/// x(t) = (1 - e^{A t}) x_ss, with e^{A t} = sum over eigenvalues of e^{l t} (A - m)/(l - m); m the other one.
ThermalState closed_form(const HeaterOnDie& d, double power_w, double t) {
  const double gh = 1 / d.heater_resistance_k_per_w, gd = 1 / d.die_resistance_k_per_w;
  const double ch = d.heater_capacity_j_per_k, cd = d.die_capacity_j_per_k;
  const double a00 = -gh / ch, a01 = gh / ch, a10 = gh / cd, a11 = -(gh + gd) / cd;
  const double trace = a00 + a11, det = gh * gd / (ch * cd);
  const double fast = (trace - std::sqrt(trace * trace - 4 * det)) / 2, slow = det / fast;  // no cancellation
  const double die = d.die_resistance_k_per_w * power_w, heater = die + d.heater_resistance_k_per_w * power_w;
  // 1 - e^{A t} = sum of -expm1(l t) times the projector of l
  const double rise_fast = -std::expm1(fast * t) / (fast - slow),
               rise_slow = -std::expm1(slow * t) / (slow - fast);
  const auto component = [&](double a_row0, double a_row1, double own) {
    const double ax = a_row0 * heater + a_row1 * die;
    return rise_fast * (ax - slow * own) + rise_slow * (ax - fast * own);
  };
  return {component(a00, a01, heater), component(a10, a11, die)};
}

/// A die so light that its 50 us show in the same window as the heater's 1.2 us.
HeaterOnDie light_die() {
  HeaterOnDie d;
  d.die_resistance_k_per_w = 700;
  d.die_capacity_j_per_k = 7e-8;
  return d;
}

}  // namespace

// row 15. fails when the die's own loss to ambient is left out (light die), or when the heater's heat does not
// arrive in the die (both)
TEST_CASE("row 15: step response of heater and die is the closed form") {
  const double power = 24.77e-3;
  for (const HeaterOnDie& d : {HeaterOnDie{}, light_die()}) {
    std::vector<double> times;
    for (int k = 0; k <= 40; ++k) times.push_back(k * 0.3e-6);
    for (int k = 1; k <= 20; ++k) times.push_back(12e-6 + k * 15e-6);
    CAPTURE(d.die_capacity_j_per_k);
    const auto states = thermal_step_response(d, power, times);
    REQUIRE(states.size() == times.size());
    for (std::size_t k = 0; k < times.size(); ++k) {
      CAPTURE(times[k]);
      const ThermalState expected = closed_form(d, power, times[k]);
      CHECK(std::abs(states[k].heater_k - expected.heater_k) < 1e-7);  // of 70 K
      CHECK(std::abs(states[k].die_k - expected.die_k) < 1e-8);        // of 17 K, or 27 nK in the heavy die
    }
  }
  // both modes are seen: at 12 us the heater is done and the light die is a fifth of its way
  const ThermalState seen = closed_form(light_die(), power, 12e-6);
  const ThermalState steady = thermal_steady_state(light_die(), power);
  CHECK(seen.heater_k - seen.die_k > 0.99 * (steady.heater_k - steady.die_k));
  CHECK(seen.die_k > 0.1 * steady.die_k);
  CHECK(seen.die_k < 0.4 * steady.die_k);
}

// fails when the steady state leaves the die out of the heater's temperature
TEST_CASE("steady state: the step ends there, and all power leaves through the die") {
  const HeaterOnDie d = light_die();
  const double power = 10e-3;
  const ThermalState steady = thermal_steady_state(d, power);
  CHECK(steady.die_k == Approx(7.0).epsilon(1e-14));
  CHECK(steady.heater_k == Approx(35.22).epsilon(1e-14));
  CHECK(steady.die_k / d.die_resistance_k_per_w == Approx(power).epsilon(1e-14));
  const auto states = thermal_step_response(d, power, {2e-3});  // 40 die time constants
  CHECK(states[0].heater_k == Approx(steady.heater_k).epsilon(1e-8));
  CHECK(states[0].die_k == Approx(steady.die_k).epsilon(1e-8));
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
  const auto states = thermal_step_response(d, power, times);
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

// fails when a default changes by more than 0.5 %
TEST_CASE("row 17: the default heater is that of Harris et al. 2014") {
  const double wavelength_m = 1.55e-6, length_m = 61.6e-6, dn_dt_per_k = 1.8e-4, p_pi_w = 24.77e-3,
               f_hz = 130e3;
  const double rise_pi_k = wavelength_m / (2 * length_m * dn_dt_per_k);
  const double tau_s = 1 / (2 * 3.14159265358979 * f_hz);
  CHECK(rise_pi_k == Approx(69.9).epsilon(0.005));
  CHECK(tau_s == Approx(1.224e-6).epsilon(0.005));
  const HeaterOnDie d;
  CHECK(d.heater_resistance_k_per_w == Approx(rise_pi_k / p_pi_w).epsilon(0.005));
  CHECK(d.heater_capacity_j_per_k == Approx(4.34e-10).epsilon(0.005));
  CHECK(d.heater_resistance_k_per_w * d.heater_capacity_j_per_k == Approx(tau_s).epsilon(0.005));
  const ThermalState at_pi = thermal_steady_state(d, p_pi_w);
  CHECK(at_pi.heater_k - at_pi.die_k == Approx(rise_pi_k).epsilon(0.005));
}

TEST_CASE("step response: times before, at and without the step") {
  CHECK(thermal_step_response({}, 1e-3, {}).empty());
  const auto states = thermal_step_response({}, 1e-3, {0.0, 0.0, 1e-6});
  REQUIRE(states.size() == 3);
  CHECK(states[1].heater_k == 0.0);
  CHECK(states[2].heater_k > 0.0);
  CHECK_THROWS_WITH(thermal_step_response({}, 1e-3, {1e-6, 0.5e-6}), ContainsSubstring("Sort them"));
  CHECK_THROWS_AS(thermal_step_response({}, 1e-3, {-1e-6}), Error);
  HeaterOnDie bad;
  bad.die_capacity_j_per_k = 0;
  CHECK_THROWS_WITH(thermal_step_response(bad, 1e-3, {1e-6}), ContainsSubstring("thermal constant 0"));
  bad.die_capacity_j_per_k = -1;
  CHECK_THROWS_AS(thermal_step_response(bad, 1e-3, {1e-6}), Error);
}
