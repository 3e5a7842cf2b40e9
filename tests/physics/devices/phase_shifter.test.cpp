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

// fails when a negative phase is not wrapped
TEST_CASE("heater drive: power linear in the phase") {
  CHECK(heater_power_w(pi, 24.77e-3) == Approx(24.77e-3).epsilon(1e-15));
  CHECK(heater_power_w(pi / 2, 24.77e-3) == Approx(12.385e-3).epsilon(1e-15));
  CHECK(heater_power_w(-pi / 2, 20e-3) == Approx(30e-3).epsilon(1e-14));
}
