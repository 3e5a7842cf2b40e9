#include "experiments/analysis/operating_point/operating_point.hpp"

#include "experiments/models/chip_trial.hpp"
#include "experiments/models/operated_chip.hpp"
#include "onn/budget/budget.hpp"
#include "onn/network/carry_chain.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/configs.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

StudyConfig chain_study() {
  return parse(
      "[task]\nbits = 4\nrounding = 'half-up'\n[network]\nsource = 'carry-chain'\n[chip]\npreset = 'ideal'\n"
      "[link]\nlaunch_power_w = 4e-3\nsignal_full_scale_w = 1e-3\n[receiver]\nlo_power_w = 4e-3\n");
}

OperatingPointSearch short_search() {
  return {.wrong = 0.01, .chips = 3, .words = 600, .bandwidths_hz = {24e9, 32e9}};
}

/// The study's hardware at a point.
UnitHardware hardware_at(const StudyConfig& config, double rate_bd, double bandwidth_hz) {
  UnitHardware u = config.hardware;
  u.timing.sampling = Sampling::clocked;
  u.timing.symbol_rate_bd = rate_bd;
  u.receiver.front_end.bandwidth_hz = bandwidth_hz;
  return u;
}

/// Words wrong on chips from `first` on.
std::int64_t wrong_words(StudyConfig config, const Network& network, const UnitHardware& hardware,
                         std::uint32_t first, std::uint32_t chips, int words) {
  const ChipDesign design = design_chip(network);
  config.measure.words = words;
  std::int64_t wrong = 0;
  for (std::uint32_t c = first; c < first + chips; ++c) {
    const LitChip lit =
        chip_in_operation(design, config, calibrated_chip(design, config, c), c, Programming::corrected);
    const Codes codes = codes_of_words(config.task, drawn_words(config, c));
    const Eigen::MatrixXd y =
        transmit({*lit.design, lit.state, hardware, config.noise}, codes, {config.run.seed, c, 0});
    wrong += (decide(y).array() != exact_answers(config.task, codes).array()).count();
  }
  return wrong;
}

}  // namespace

// Fails when a faster rate would do, words wrong are those of other chips, or the cost is that of another rate
TEST_CASE("operating point: it decodes, a faster one does not, and the cost is that of just this point") {
  const StudyConfig config = chain_study();
  const Network network = carry_chain(config.task, config.network.carry_chain);
  const OperatingPointSearch search = short_search();
  int steps = 0;
  const OperatingPoint point = find_operating_point(config, network, search, [&] { ++steps; });
  REQUIRE(point.found());
  CHECK(steps == 2 + 3);
  CHECK(point.chips == 3);
  CHECK(point.chips_right == 3);
  CHECK(point.words == 1800);
  const auto at = [&](double faster, double bandwidth_hz) {
    return hardware_at(config, faster * point.symbol_rate_bd, bandwidth_hz);
  };
  const double hz = point.receiver_bandwidth_hz;
  CHECK(point.wrong == wrong_words(config, network, at(1, hz), 0, 3, search.words));
  for (const double other_hz : search.bandwidths_hz) {  // 5 chips from number 3 on are those of the search
    bool all_pass = true;
    for (std::uint32_t chip = 3; chip < 8; ++chip)
      all_pass &= static_cast<double>(wrong_words(config, network, at(1.08, other_hz), chip, 1,
                                                  search.words)) <= 0.01 * search.words;
    CHECK_FALSE(all_pass);
  }
  const UnitCost cost = unit_cost(network, budget(design_chip(network), config.chip, at(1, hz), config.budget));
  CHECK(point.cost.static_power_w == cost.static_power_w);
  CHECK(point.cost.symbol_power_w == cost.symbol_power_w);
  // by hand: 8 lanes' modulators, 8 receivers with an oscillator and a converter each; fails when a part of the
  // ends is left out, or the ring's bits cross one end too many
  const ChipBudget b = budget(design_chip(network), config.chip, at(1, hz), config.budget);
  const double ends_w = b.static_power_w.total(0) + b.symbol_power_w.total(0) +
                        b.static_power_w.total(b.stages.size() - 1) +
                        b.symbol_power_w.total(b.stages.size() - 1);
  CHECK(b.stages.front().modulators == 8);
  CHECK(b.stages.back().receivers == 8);
  CHECK(point.opponents.ring_j * point.bits_per_s() == Approx(1.5 * ends_w));
  CHECK(point.opponents.adding_switch_j * point.bits_per_s() ==
        Approx(2 * ends_w + 10e-12 * point.bits_per_s()));
  CHECK(point.opponents.electronics_j > 1.25 * ends_w / point.bits_per_s());
  CHECK(point.opponents.electronics_j < 2.25 * ends_w / point.bits_per_s());
  CHECK(point.bits_per_s() == Approx(4 * 4 * point.symbol_rate_bd));
  CHECK(point.energy_per_bit_j() * 16 * point.symbol_rate_bd ==
        Approx(cost.static_power_w + cost.symbol_power_w));
}

TEST_CASE("operating point: a unit that decodes at no rate has none") {
  StudyConfig config = chain_study();
  config.hardware.link.launch_power_w = 1e-8;
  const Network network = carry_chain(config.task, config.network.carry_chain);
  const OperatingPoint point = find_operating_point(config, network, short_search());
  CHECK_FALSE(point.found());
  CHECK(point.cost.mzis == 0);
}

TEST_CASE("operating point: impossible searches are refused") {
  const auto refused = [](auto change) {
    OperatingPointSearch search;
    change(search);
    return refusal([&] { validate_search(search); });
  };
  check_message(refused([](auto& s) { s.wrong = 1; }), {"wrong = 1"});
  check_message(refused([](auto& s) { s.chips_right = 0; }), {"chips_right = 0"});
  check_message(refused([](auto& s) { s.chips = 0; }), {"chips = 0"});
  check_message(refused([](auto& s) { s.words = 0; }), {"words = 0"});
  check_message(refused([](auto& s) { s.bandwidths_hz = {}; }), {"bandwidths_hz"});
  check_message(refused([](auto& s) { s.bandwidths_hz = {-1}; }), {"bandwidths_hz = -1"});
  check_message(refused([](auto& s) { s.fastest_bd = 1; }), {"fastest_bd = 1"});
}
