#include "onn/chip/heater_power.hpp"

#include "onn/budget/budget.hpp"
#include "onn/network/carry_chain.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/networks.hpp"

using namespace optinc;
using Catch::Matchers::WithinRel;

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
