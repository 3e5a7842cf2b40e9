// Phase shifters.

#include "physics/devices/phase_shifter.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"

using namespace optinc;
using namespace optinc::testing;

namespace {

using constants::pi;

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
