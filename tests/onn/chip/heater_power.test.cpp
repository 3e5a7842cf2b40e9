#include "onn/chip/heater_power.hpp"

#include "onn/budget/budget.hpp"
#include "onn/chip/calibration.hpp"
#include "onn/network/carry_chain.hpp"
#include "physics/core/units.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/networks.hpp"

using namespace optinc;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

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
  const ChipProgram heaters = program(design, ideal, 0, Programming::uncorrected);
  double shifters = 0;
  for (const auto& layer : design.layers)
    for (const BlockDesign& block : layer.blocks)
      shifters += 2 * (block.mesh.mzi_count() + block.attenuators.mzi_count()) + block.mesh.ports;
  CHECK_THAT(heater_power_w(trimmed(heaters, 1, 3), 1.0), WithinAbs(shifters, 5 * std::sqrt(shifters / 3)));
}

// mutation: attenuators are left out, or the blocks of a layer count once
TEST_CASE("heaters expected before training are those of the budget at mean phases") {
  constexpr Task task{4, 4};
  const std::vector<int> hidden = {8, 16, 8};
  const ChipBudget b = budget(design_chip(random_network(task, hidden)), {}, {});
  for (const HeaterBudget& h : b.heaters)
    CHECK_THAT(expected_heater_power_w(make_network(task, hidden), h.pi_power_w),
               WithinRel(h.estimate_w, 1e-12));
}

// mutation: a tree's MZIs are taken for those of a rectangle
TEST_CASE("heaters expected of a carry chain are those of its budget at mean phases") {
  const Network chain = carry_chain({4, 2, Rounding::half_up});
  const ChipBudget b = budget(design_chip(chain), {}, {});
  // every MZI of a tree: pi of phi and pi/2 of theta
  for (const HeaterBudget& h : b.heaters) {
    CHECK_THAT(expected_heater_power_w(chain, h.pi_power_w), WithinRel(h.estimate_w, 1e-12));
    CHECK_THAT(h.estimate_w, WithinRel(1.5 * h.pi_power_w * static_cast<double>(mzi_count(chain)), 1e-12));
  }
}
