#include "onn/budget/unit_cost.hpp"

#include <cmath>

#include "onn/network/digit_sums.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/networks.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

namespace {

UnitCost small_cost(std::vector<int> approximated = {}) {
  const Network network = random_network({4, 4}, {8, 16, 8});
  return unit_cost(network, budget(design_chip(network), {}, {}), approximated);
}

}  // namespace

// 4-8-16-8-4 by hand: 20, 72, 72, 20 as built, 38, 156, 156, 38 by full SVD. Fails when layers count from 0
TEST_CASE("unit cost: MZIs as built, as published, and by full SVD") {
  const UnitCost all = small_cost(), two = small_cost({2, 3});
  CHECK(all.mzis == 184);
  CHECK(all.mzis_published == 184);
  CHECK(all.mzis_full_svd == 388);
  CHECK(two.mzis == 184);
  CHECK(two.mzis_published == 38 + 72 + 72 + 38);
  check_message(refusal([] { small_cost({0}); }), {"approximated layer 0 of 4", "from 1"});
  CHECK(all.modulators == 16 + 32);
  CHECK(all.receivers == 16 + 32);
  CHECK(all.conversions == 3);
  CHECK_THAT(all.symbols_in_flight(), WithinRel(all.delay_s * 50e9, 1e-12));
}

// Fails when servers' receivers are counted, or light or heaters are in what neurons take
TEST_CASE("unit cost: neurons are what light and weights do not change") {
  const Network network = random_network({4, 4}, {8, 16, 8}), wider = random_network({4, 4}, {16, 32, 16});
  UnitHardware bright;
  bright.receiver.lo_power_w *= 10, bright.heater.p_pi_w *= 10, bright.converter.step_j *= 10;
  const auto of = [](const Network& n, const UnitHardware& u) {
    return unit_cost(n, budget(design_chip(n), {}, u));
  };
  const UnitCost one = of(network, {}), other = of(network, bright), twice = of(wider, {});
  CHECK(one.neurons == 32);
  CHECK(one.neurons_w > 32 * UnitHardware().receiver.front_end.supply_power_w);
  CHECK(one.neurons_w < one.static_power_w + one.symbol_power_w);
  CHECK(other.neurons_w == one.neurons_w);
  CHECK(other.static_power_w > one.static_power_w);
  CHECK_THAT(twice.neurons_w, WithinRel(2 * one.neurons_w, 1e-12));
  CHECK_THAT(one.neurons_per_bit_j(), WithinRel(one.neurons_w / (32 * one.symbol_rate_bd), 1e-12));
  const UnitCost sums = of(digit_sums({.servers = 4}), {});
  CHECK(sums.neurons == 0);
  CHECK(sums.neurons_w == 0);
}

// the published counts, without meshes. Fails when a block's attenuators or one of the two SVD meshes is
// missing
TEST_CASE("unit cost: published shapes have the published counts") {
  const Network wide = make_network({4, 8}, std::vector<int>{64, 128, 256, 512, 256, 128, 64});
  CHECK(mzi_count_full_svd(wide) == 433736);
  CHECK(mzi_count(wide) == 173504);
  ChipBudget counts;
  counts.stages.resize(wide.layers.size() + 3);
  for (std::size_t l = 0; l < wide.layers.size(); ++l) {
    Network one = wide;
    one.layers = {wide.layers[l]};
    counts.stages[l + 2].mzis = mzi_count(one);
  }
  for (BudgetTable* t :
       {&counts.loss_db, &counts.static_power_w, &counts.symbol_power_w, &counts.delay_s, &counts.area_m2})
    t->parts = {{"heaters", "", {0.0}}, {"static phases", "", {0.0}}};
  const int layers[] = {4, 5, 6};
  CHECK(unit_cost(wide, counts, layers).mzis_published == 213512);
}

// Fails when what stands side by side is put in series, or counted once
TEST_CASE("unit cost: of a cascade counts add up, and one unit of every level is on the way") {
  const UnitCost one = small_cost();
  const std::pair<int, UnitCost> levels[] = {{4, one}, {1, one}};
  const UnitCost all = in_series(levels);
  CHECK(all.servers == 16);
  CHECK(all.mzis == 5 * 184);
  CHECK(all.columns == 2 * one.columns);
  CHECK(all.conversions == 2 * one.conversions + 1);
  CHECK_THAT(all.static_power_w, WithinRel(5 * one.static_power_w, 1e-12));
  CHECK_THAT(all.symbol_power_w, WithinRel(5 * one.symbol_power_w, 1e-12));
  CHECK_THAT(all.area_m2, WithinRel(5 * one.area_m2, 1e-12));
  CHECK(all.neurons == 5 * one.neurons);
  CHECK_THAT(all.neurons_per_bit_j() * 16, WithinRel(5 * one.neurons_per_bit_j() * 4, 1e-12));
  CHECK(all.die_rise_k == one.die_rise_k);
  CHECK(all.symbol_rate_limit_bd == one.symbol_rate_limit_bd);
  CHECK_THAT(all.delay_s, WithinRel(2 * one.delay_s, 1e-12));
  CHECK(all.most_gain_db == one.most_gain_db);
  check_message(refusal([] { in_series({}); }), {"a system of no units"});
}

// one stage for four servers: trees of 4 and 7 inputs, 3 thresholds; a loop of 2 columns, a guide, a receiver
// and a modulator takes 91 ps, 4.6 symbols. Fails when the outputs' tree is left out, or a word takes a slot
// too few
TEST_CASE("unit cost: a stage shared in time has one stage's devices and a word's slots") {
  const Task task = {4, 4, Rounding::half_up};
  const UnitCost one = time_shared_cost(task, {}, {}, {}, {});
  CHECK(one.mzis == 3 + 6);
  CHECK(one.receivers == 3 + 4);  // steps; a digit at every server
  CHECK(one.neurons == 3);
  CHECK(one.modulators == 3 * 3 + 4);  // every step is read by t, r and the r before; a digit from every server
  CHECK(one.slots_per_word == 5);
  CHECK(one.memory_bits == 2 * 4 * 8 * 5);
  const Network chain = carry_chain(task);
  const UnitCost whole = unit_cost(chain, budget(design_chip(chain), {}, {}));
  CHECK(whole.slots_per_word == 1);
  CHECK(one.static_power_w < whole.static_power_w / 2);
  CHECK(one.symbol_power_w < whole.symbol_power_w / 2);
  // boxes of 9 MZIs, 9 modulators and 3 receivers, and no delay line
  CHECK_THAT(one.area_m2, WithinRel(9 * 200e-6 * 50e-6 + 9 * 0.5e-6 + 3 * 0.1e-6, 1e-9));
  CHECK(one.delay_s > whole.delay_s);
  const UnitCost longer = time_shared_cost({4, 16, Rounding::half_up}, {}, {}, {}, {});
  CHECK(longer.mzis == one.mzis);
  CHECK(longer.slots_per_word == 17);
  check_message(refusal([] {
                  time_shared_cost({4, 4, Rounding::half_up}, {0.25, 0.9, Carries::lookahead}, {}, {}, {});
                }),
                {"carries lookahead", "ripple"});
}
