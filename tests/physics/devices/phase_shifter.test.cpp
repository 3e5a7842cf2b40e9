// Phase shifters and what a DAC makes of a phase (physics.md section 3).

#include "physics/devices/phase_shifter.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"

using namespace optinc;
using namespace optinc::testing;

namespace {

constexpr double pi = constants::pi;

/// Distance of two phases on the circle.
double turn_between(double a, double b) { return std::abs(std::remainder(a - b, 2 * pi)); }

}  // namespace

// fails when fmod is used (negative phases stay negative) or when 2 pi itself can come out
TEST_CASE("wrap: every phase lands at 0 or above and below 2 pi, on the same point of the circle") {
  for (const double phase : {0.0, 1.0, -1.0, 7.0, -7.0, 2 * pi, -2 * pi, 100 * pi, -1e-300, -1e-17, 1e6}) {
    CAPTURE(phase);
    const double wrapped = wrap_phase(phase);
    CHECK(wrapped >= 0.0);
    CHECK(wrapped < 2 * pi);
    CHECK(turn_between(wrapped, phase) < 4 * eps * std::max(1.0, std::abs(phase)));
  }
  CHECK(wrap_phase(-0.25) == Approx(2 * pi - 0.25).epsilon(1e-15));
}

// fails when the grid has 2^bits - 1 steps, or when rounding is replaced by truncation
TEST_CASE("uniform DAC: 2^bits levels of 2 pi / 2^bits, the nearest one, on the circle") {
  CHECK(quantise_phase(0.3, 2) == 0.0);
  CHECK(quantise_phase(0.8, 2) == Approx(pi / 2));
  CHECK(quantise_phase(2 * pi - 0.1, 2) == 0.0);  // the top level is level 0
  CHECK(quantise_phase(-0.8, 2) == Approx(3 * pi / 2));
  CHECK(quantise_phase(-0.25, 0) == Approx(2 * pi - 0.25));
  Stream s = test_stream(1);
  for (const int bits : {1, 4, 8, 12}) {
    const double step = 2 * pi / (1 << bits);
    for (int draw = 0; draw < 300; ++draw) {
      const double phase = 20 * s.normal(), q = quantise_phase(phase, bits);
      CAPTURE(bits, phase);
      CHECK(turn_between(q, phase) <= step / 2 * (1 + 1e-12));
      CHECK(std::abs(q / step - std::round(q / step)) < 1e-9);
      CHECK(q < 2 * pi);
    }
  }
}

// b = 8, 12, 16: 7.09e-3, 4.43e-4, 2.77e-5 rad (physics.md 3.3). R = 400000 phases: the rms of a uniform error
// has relative spread sqrt(0.2/R) = 0.07 %, 5 sigma = 0.35 %; tolerance 0.4 %. Truncation would give twice it.
TEST_CASE("MC: the uniform DAC's error is uniform with rms step/sqrt(12)") {
  const std::uint64_t seed = 2;
  CAPTURE(seed);
  constexpr int draws = 400000;
  for (const auto& [bits, rms] : {std::pair{8, 7.09e-3}, {12, 4.43e-4}, {16, 2.77e-5}}) {
    CAPTURE(bits);
    Stream s = test_stream(seed);
    double sum = 0;
    for (int draw = 0; draw < draws; ++draw) {
      const double phase = 2 * pi * s.uniform();
      sum += std::pow(turn_between(quantise_phase(phase, bits), phase), 2);
    }
    CHECK(std::sqrt(sum / draws) == Approx(2 * pi / std::ldexp(std::sqrt(12.0), bits)).epsilon(0.004));
    CHECK(std::sqrt(sum / draws) == Approx(rms).epsilon(0.006));  // the page gives three digits
  }
}

// fails when the levels are spaced in phase instead of voltage
TEST_CASE("voltage DAC: levels are 2 pi (m / 2^bits)^2, the nearest voltage is taken") {
  // two bits: phases 0, pi/8, pi/2, 9 pi/8, 2 pi; thresholds half-way in voltage at 2 pi (m + 1/2)^2 / 16
  CHECK(quantise_voltage(2 * pi * 0.24 / 16, 2) == 0.0);
  CHECK(quantise_voltage(2 * pi * 0.26 / 16, 2) == Approx(pi / 8));
  CHECK(quantise_voltage(2 * pi * 2.24 / 16, 2) == Approx(pi / 8));
  CHECK(quantise_voltage(2 * pi * 2.26 / 16, 2) == Approx(pi / 2));
  CHECK(quantise_voltage(2 * pi * 12.24 / 16, 2) == Approx(9 * pi / 8));
  CHECK(quantise_voltage(2 * pi * 12.26 / 16, 2) == Approx(2 * pi));
  CHECK(quantise_voltage(-0.25, 0) == Approx(2 * pi - 0.25));
  // the widest gap, at 2 pi, is twice the uniform step: 4 pi / 2^b less half a step's curvature
  const int bits = 10;
  const double top = quantise_voltage(2 * pi * (1 - 1e-9), bits);
  const double next = quantise_voltage(2 * pi * std::pow(1 - 1.0 / 1024, 2), bits);
  CHECK(top - next == Approx(4 * pi / 1024 - 2 * pi / (1024.0 * 1024.0)).epsilon(1e-9));
}

// R = 400000: E of the squared error is a fourth moment, relative spread of the rms below 0.15 %; tolerance 1 %
TEST_CASE("MC: averaged over phases the voltage DAC loses half a bit, sqrt(2) of the uniform rms") {
  const std::uint64_t seed = 3;
  CAPTURE(seed);
  constexpr int draws = 400000;
  Stream s = test_stream(seed);
  double sum = 0;
  for (int draw = 0; draw < draws; ++draw) {
    const double phase = 2 * pi * s.uniform();
    sum += std::pow(quantise_voltage(phase, 10) - phase, 2);
  }
  CHECK(std::sqrt(sum / draws) == Approx(std::sqrt(2.0 / 12) * 2 * pi / 1024).epsilon(0.01));
}

// fails when the voltage is linear in the phase
TEST_CASE("heater drive: phi = pi (V/V_pi)^2, power linear in the phase") {
  CHECK(heater_voltage_v(pi, 4.98) == Approx(4.98).epsilon(1e-15));
  CHECK(heater_voltage_v(pi / 4, 4.98) == Approx(2.49).epsilon(1e-15));
  CHECK(heater_voltage_v(-pi / 2, 2.0) == Approx(2.0 * std::sqrt(1.5)).epsilon(1e-14));  // wrapped to 3 pi/2
  CHECK(heater_power_w(pi, 24.77e-3) == Approx(24.77e-3).epsilon(1e-15));
  CHECK(heater_power_w(pi / 2, 24.77e-3) == Approx(12.385e-3).epsilon(1e-15));
  CHECK(heater_power_w(-pi / 2, 20e-3) == Approx(30e-3).epsilon(1e-14));
  // V^2/R is the power: V_pi = sqrt(P_pi R) = 4.98 V at 1 kohm (Harris 2014)
  for (const double phase : {0.1, 1.0, 3.0, 6.0})
    CHECK(std::pow(heater_voltage_v(phase, std::sqrt(24.77e-3 * 1000)), 2) / 1000 ==
          Approx(heater_power_w(phase, 24.77e-3)).epsilon(1e-13));
  CHECK(std::sqrt(24.77e-3 * 1000) == Approx(4.98).epsilon(1e-3));
}
