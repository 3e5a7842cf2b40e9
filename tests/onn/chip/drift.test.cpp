#include "onn/chip/drift.hpp"

#include "onn/chip/calibration.hpp"
#include "physics/core/units.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/networks.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

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

TEST_CASE("heaters take P_pi for every pi of phase") {
  ChipProgram program;
  BlockProgram block;
  block.mesh = {Vector::Constant(3, constants::pi), Vector::Constant(3, -constants::pi / 2),
                Vector::Constant(2, 0.5 * constants::pi)};
  block.attenuators = {Vector::Constant(2, constants::pi), Vector::Zero(2), Vector::Zero(4)};
  program.layers = {{block}};
  // 3 pi, three times -pi/2, which wraps to 3 pi/2, one pi of the screen, 2 pi of the attenuators
  CHECK_THAT(heater_power_w(program, 1e-3), WithinRel(1e-3 * (3 + 4.5 + 1 + 2), 1e-12));
}

// 104 heaters and more, each uniform over a turn: P_pi each, 5 sigma of their sum 5 P_pi sqrt(n / 3). Fails
// when static phases cost nothing
TEST_CASE("heaters take P_pi each where they trim static phases") {
  const ChipDesign design = design_chip(random_network({4, 4}, {16, 16}));
  const ChipErrors ideal = fabricate(design, {}, 1, 3);
  const ChipProgram program = program_chip(design, ideal, 0, Programming::uncorrected);
  double shifters = 0;
  for (const auto& layer : design.layers)
    for (const BlockDesign& block : layer.blocks)
      shifters += 2 * (block.mesh.mzi_count() + block.attenuators.mzi_count()) + block.mesh.ports;
  CHECK_THAT(heater_power_w(trimmed(program, 1, 3), 1.0), WithinAbs(shifters, 5 * std::sqrt(shifters / 3)));
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
