#include "physics/devices/phase_lock.hpp"

#include <cmath>

#include "physics/core/units.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

// The loop's own differential equation, in small steps. Fails when the drift within a step is taken at its end
TEST_CASE("a phase lock follows as its equation says, however time is cut") {
  const double bandwidth_hz = 0.3, rate = 0.7;
  double euler = 0.4, cut = 0.4;
  constexpr int steps = 200000;
  for (int k = 0; k < steps; ++k) euler += (rate - 2 * constants::pi * bandwidth_hz * euler) / steps;
  for (int k = 0; k < 7; ++k) cut = phase_lock_error_rad(cut, rate / 7, 1.0 / 7, bandwidth_hz);
  CHECK_THAT(phase_lock_error_rad(0.4, rate, 1.0, bandwidth_hz), WithinAbs(euler, 1e-5));
  CHECK_THAT(cut, WithinRel(phase_lock_error_rad(0.4, rate, 1.0, bandwidth_hz), 1e-12));
}

TEST_CASE("a phase lock leaves the whole phase without a loop, and r over 2 pi B of a steady drift r") {
  CHECK(phase_lock_error_rad(0.4, 0.7, 1.0, 0.0) == 0.4 + 0.7);
  CHECK_THAT(phase_lock_error_rad(0.4, 0.7, 1.0, 1e-12), WithinAbs(1.1, 1e-10));
  CHECK_THAT(phase_lock_error_rad(0.4, 3e4, 1e4, 2.0), WithinRel(3.0 / (4 * constants::pi), 1e-12));
}

TEST_CASE("phase locks of no device are refused") {
  check_message(refusal([] { phase_lock_error_rad(0, 0, 1, -1); }), {"bandwidth_hz", "-1"});
  check_message(refusal([] { phase_lock_error_rad(0, 0, -1, 1); }), {"elapsed_s", "-1"});
}
