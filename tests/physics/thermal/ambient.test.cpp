// The ambient over time: closed forms of its parts, moments of its noise, and what the die makes of it.

#include "physics/thermal/ambient.hpp"

#include <cmath>
#include <vector>

#include "physics/thermal/thermal_dynamics.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;
using namespace optinc::testing;

// fails when a part is left out of the sum, or drawn noise changes what is not noise
TEST_CASE("ambient: constant, ramp and sine by hand, sums of models, no draws without noise") {
  const std::vector<double> times = {0.0, 25.0, 60.0};
  Stream s = test_stream(1), untouched = test_stream(1);
  AmbientModel ramp, sine;
  ramp.constant_k = 3;
  ramp.ramp_k_per_s = 0.1;
  sine.sine_amplitude_k = 2;
  sine.sine_period_s = 100;
  const Vector alone = ambient_history(ramp, times, s);
  CHECK((alone - Vector{{3.0, 5.5, 9.0}}).cwiseAbs().maxCoeff() < 1e-14);
  const std::vector<AmbientModel> both = {ramp, sine};
  const Vector sum = ambient_history(both, times, s);
  CHECK((sum - Vector{{3.0, 7.5, 9.0 - 2 * 0.5877852522924731}}).cwiseAbs().maxCoeff() < 1e-13);
  sine.sine_phase_rad = 1.5707963267948966;
  CHECK(ambient_history(sine, times, s)[0] == Approx(2.0).epsilon(1e-15));
  CHECK(s.bits() == untouched.bits());
  LaserDrift drift;
  drift.ramp_m_per_s = 1e-13;
  CHECK(wavelength_history(drift, times, s)[2] == Approx(6e-12).epsilon(1e-14));
}

// row 16. 4e5 values, 5 sigma: variance ratio 1 +- 0.048 (sigma^2 = 2 coth(dt/tau) / R), lag-10 correlation
// e^-1. Fails when the step lacks its 2 in e^(-2 dt/tau), or starts at 0
TEST_CASE("MC: ambient noise has the variance and the memory asked for, at any step") {
  const std::uint64_t seed = 21;
  CAPTURE(seed);
  AmbientModel m;
  m.ou_rms_k = 0.05;
  m.ou_time_s = 10;
  const int count = 400'000;
  std::vector<double> times;
  for (int k = 0; k < count; ++k) times.push_back(k + (k % 2 ? 0.4 : 0.0));  // steps of 1.4 and 0.6 s
  Stream s = test_stream(seed);
  const Vector t = ambient_history(m, times, s);
  const double variance = t.squaredNorm() / count;
  CHECK(variance / 0.0025 == Approx(1.0).margin(5 * std::sqrt(2 * 10.03 / count)));
  const Eigen::Index pairs = count - 10;
  const double lagged = t.head(pairs).dot(t.tail(pairs)) / double(pairs);
  CHECK(lagged / 0.0025 == Approx(std::exp(-1.0)).margin(5 * std::sqrt(2 * 10.03 / count)));
  // the first value is that of the stationary process: 4000 starts
  double first = 0;
  for (std::uint32_t trial = 0; trial < 4000; ++trial) {
    Stream one = test_stream(seed, trial + 1);
    first += std::pow(ambient_history(m, std::vector<double>{7.0}, one)[0], 2) / 4000;
  }
  CHECK(first / 0.0025 == Approx(1.0).margin(5 * std::sqrt(2.0 / 4000)));
  Stream a = test_stream(seed), b = test_stream(seed);
  LaserDrift laser;
  laser.ou_rms_m = 0.05;
  laser.ou_time_s = 10;
  CHECK(wavelength_history(laser, times, a) == ambient_history(m, times, b));
}

// The die passes s^2 tau_a / (tau_a + tau_d) of an Ornstein-Uhlenbeck ambient. 1e6 instants of 0.2 s; the die's
// square forgets within ~ tau_a + tau_d = 19 s, so 5 sigma is about 5 sqrt(2 19 / 2e5) = 7 %. Fails when the
// die's update takes the ambient at one end of the step only over long steps, or without its own time constant
TEST_CASE("MC: an Ornstein-Uhlenbeck ambient, through the die") {
  const std::uint64_t seed = 22;
  CAPTURE(seed);
  AmbientModel m;
  m.ou_rms_k = 0.05;
  m.ou_time_s = 10;
  std::vector<double> times;
  for (int k = 0; k < 1'000'000; ++k) times.push_back(0.2 * k);
  Stream s = test_stream(seed);
  const Vector ambient = ambient_history(m, times, s);
  const ThermalDie die{20.0, 0.46};  // 9.2 s
  const Vector die_k = die_history(die, 0.0, 0.0, times, {ambient.data(), times.size()});
  const double expected = 0.05 * std::sqrt(10 / 19.2);
  CHECK(die_k.norm() / 1e3 == Approx(expected).epsilon(0.035));  // rms: half of the variance's 7 %
}

TEST_CASE("ambient: what is refused") {
  Stream s = test_stream(1);
  const std::vector<double> times = {0.0, 1.0}, backwards = {1.0, 0.5};
  AmbientModel m;
  check_message(refusal([&] { ambient_history(m, backwards, s); }), {"do not ascend"});
  m.sine_period_s = 0;
  check_message(refusal([&] { ambient_history(m, times, s); }), {"sine_period_s = 0"});
  m = {};
  m.ou_rms_k = -1;
  check_message(refusal([&] { ambient_history(m, times, s); }), {"rms -1"});
  LaserDrift d;
  d.ou_time_s = -2;
  check_message(refusal([&] { wavelength_history(d, times, s); }), {"ou_time_s = -2"});
}
