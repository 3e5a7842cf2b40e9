#include "onn/heater_estimate.hpp"

#include "onn/budget.hpp"

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
    CHECK_THAT(expected_heater_power_w(make_network(task, hidden), h.pi_power_w), WithinRel(h.estimate_w, 1e-12));
}
