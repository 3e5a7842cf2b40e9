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
  const ThermalDie die = {0.5, 0.46};
  const DriftHistory step = drift_history(s, die, 46.0, 1, 0);
  for (int k = 0; k < 11; ++k)
    CHECK_THAT(step.die_k[k], WithinAbs(23.0 * (1 - std::exp(-0.1 * k / 0.23)), 1e-12));
  s.ramp_k_per_s = 0.2;
  s.interval_s = 1.0;
  const DriftHistory ramp = drift_history(s, die, 0.0, 1, 0);
  CHECK_THAT(ramp.die_k[10], WithinAbs(0.2 * (10 - 0.23), 1e-9));
  s.controlled = 0.9;
  CHECK_THAT(drift_history(s, die, 0.0, 1, 0).die_k[10], WithinAbs(0.1 * 0.2 * (10 - 0.23), 1e-9));
  s.controlled = 0.0;
  s.ramp_k_per_s = 0.0;
  s.warm_up_s = 100.0;
  const DriftHistory warm = drift_history(s, die, 46.0, 1, 0);
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

// Due times summed up as doubles skip or shift calibrations in 33 of these 64 pairs: 361 steps of 0.1 s lose
// the 15th. The truth in integers: instant k lies at k i, period p at p r, in units of 0.1 s (0.3, 0.7 s: of
// their own)
TEST_CASE("no calibration is skipped or shifted by rounding") {
  for (const double unit_s : {0.1, 0.3, 0.7, 1e-3, 1.0 / 3.0, 60.0, 1e-6, 1e6})
    for (const int ratio : {1, 2, 3, 5, 7, 10, 60, 119}) {
      DriftSettings s = quiet();
      s.instants = 361;
      s.interval_s = unit_s;
      s.recalibrate_s = ratio * unit_s;
      CAPTURE(unit_s, ratio);
      std::vector<std::size_t> due;
      for (std::size_t k = 0; k < 361; ++k) due.push_back(k - k % static_cast<std::size_t>(ratio));
      CHECK(calibration_instants(s) == due);
      s.interval_s = ratio * unit_s;  // several periods a step: calibrated at every instant
      s.recalibrate_s = unit_s;
      for (std::size_t k = 0; k < 361; ++k) due[k] = k;
      CHECK(calibration_instants(s) == due);
    }
}

// 2e16 periods: a loop over them would not end
TEST_CASE("calibrations far more frequent than instants cost no time") {
  DriftSettings s = quiet();
  s.instants = 2047;
  s.interval_s = 1e7;
  s.recalibrate_s = 1e-6;
  CHECK(calibration_instants(s).back() == 2046);
}

TEST_CASE("impossible drift is refused by name, value and range") {
  DriftSettings s;
  s.ou_time_s = 0.0;
  CHECK_THAT(refusal([&] { drift_history(s, ThermalDie{}, 1.0, 1, 0); }), ContainsSubstring("ou_time_s = 0"));
  s = {};
  s.controlled = 1.5;
  CHECK_THAT(refusal([&] { validate_drift(s); }), ContainsSubstring("controlled = 1.5"));
  s = {};
  s.instants = 1;
  CHECK_THAT(refusal([&] { validate_drift(s); }), ContainsSubstring("instants = 1"));
}
