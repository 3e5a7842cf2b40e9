#include "onn/chip/drift.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;
using Catch::Matchers::WithinAbs;

namespace {

DriftSettings quiet() {
  DriftSettings s;
  s.sine_k = s.ou_k = s.laser_m = 0.0;
  return s;
}

}  // namespace

// closed forms of one thermal node. Fails when the die's resistance or capacity is left out, or the warm-up
TEST_CASE("the die warms by R P with its time constant, and follows a ramp R C behind it") {
  DriftSettings s = quiet();
  s.instants = 11;
  s.interval_s = 0.1;
  s.warm_up_s = 0.0;
  s.die_resistance_k_per_w = 0.5;
  s.die_capacity_j_per_k = 0.46;
  const DriftHistory step = drift_history(s, 46.0, 1, 0);
  for (int k = 0; k < 11; ++k)
    CHECK_THAT(step.die_k[k], WithinAbs(23.0 * (1 - std::exp(-0.1 * k / 0.23)), 1e-12));
  s.ramp_k_per_s = 0.2;
  s.interval_s = 1.0;
  const DriftHistory ramp = drift_history(s, 0.0, 1, 0);
  CHECK_THAT(ramp.die_k[10], WithinAbs(0.2 * (10 - 0.23), 1e-9));
  s.controlled = 0.9;
  CHECK_THAT(drift_history(s, 0.0, 1, 0).die_k[10], WithinAbs(0.1 * 0.2 * (10 - 0.23), 1e-9));
  s.controlled = 0.0;
  s.ramp_k_per_s = 0.0;
  s.warm_up_s = 100.0;
  const DriftHistory warm = drift_history(s, 46.0, 1, 0);
  CHECK_THAT(warm.between(0, 10).temperature_k, WithinAbs(0.0, 1e-9));
}

TEST_CASE("calibrations come when they are due") {
  DriftSettings s = quiet();
  s.instants = 8;
  s.interval_s = 10.0;
  s.recalibrate_s = 25.0;
  CHECK(calibration_instants(s) ==
        std::vector<std::size_t>{0, 0, 0, 3, 3, 5, 5, 5});  // due at 25, 50 (and 75) s
  s.recalibrate_s = 1e9;
  CHECK(calibration_instants(s) == std::vector<std::size_t>(8, 0));
  s.recalibrate_s = 1.0;
  CHECK(calibration_instants(s) == std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7});
}

TEST_CASE("impossible drift is refused by name, value and range") {
  DriftSettings s;
  s.ou_time_s = 0.0;
  CHECK_THAT(refusal([&] { drift_history(s, 1.0, 1, 0); }), ContainsSubstring("ou_time_s = 0"));
  s = {};
  s.controlled = 1.5;
  CHECK_THAT(refusal([&] { validate_drift(s); }), ContainsSubstring("controlled = 1.5"));
  s = {};
  s.instants = 1;
  CHECK_THAT(refusal([&] { validate_drift(s); }), ContainsSubstring("instants = 1"));
}
