#include "experiments/models/chip_path.hpp"

#include <fmt/format.h>

#include "experiments/models/chip_trial.hpp"
#include "experiments/models/drifting_chip.hpp"
#include "onn/link/oscillators.hpp"
#include "onn/network/carry_chain.hpp"
#include "onn/task/codes.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/configs.hpp"

using namespace optinc;

namespace {

/// Carry chains whose chips err, and codes drawn for them.
struct Unit {
  StudyConfig config;
  Network network;
  ChipDesign design;

  explicit Unit(const std::vector<std::string>& more = {}, Task task = {4, 4, Rounding::half_up})
      : config(configured(more)), network(carry_chain(task)), design(design_chip(network)) {
    config.task = task;
  }
  UnitDesign made_of() const { return {&config, &network, &design}; }

  static StudyConfig configured(const std::vector<std::string>& more) {
    std::vector<std::string> settings = {"model=learning",
                                         "run.seed=5",
                                         "task.rounding=half-up",
                                         "network.source=carry-chain",
                                         "noise.lock=false",
                                         "learner.aggregator=chip",
                                         "chip.preset=doped-heaters",
                                         "chip.sigma_eta_rad=0.15",
                                         "chip.sigma_cal_rad=0.15",
                                         "learner.steps=12",
                                         "learner.evaluations=1",
                                         "drift.instants=4",
                                         "drift.interval_s=100",
                                         "drift.recalibrate_s=200",
                                         "drift.imbalance_m=2e-4",
                                         "drift.sine_k=10",
                                         "drift.sine_period_s=1300"};
    settings.insert(settings.end(), more.begin(), more.end());
    return parse("", settings);
  }
};

Codes drawn_codes(Eigen::Index servers) {
  Stream stream(81, Purpose::test);
  Codes codes(3000, servers);
  for (auto& code : codes.reshaped()) code = stream.below(256);
  return codes;
}

StepContext at_step(std::uint32_t step) { return {5, step, 0}; }

}  // namespace

// the chip is made here from its parts. Fails when the path programs another chip, or for another variant, or
// noise acts where none should
TEST_CASE("chip path: codes pass the very chip of that number, as the variant has it") {
  const Unit unit({"learner.engine=light"});
  const Codes codes = drawn_codes(4);
  std::vector<CodeVector> received;
  for (const std::uint32_t number : {0u, 7u})
    for (const auto* variant : {"uncorrected", "corrected_quadrature", "noisy"}) {
      CAPTURE(number, variant);
      const ChipVariant as = chip_variant(variant);
      const LitChip lit = chip_in_operation(
          unit.design, unit.config, calibrated_chip(unit.design, unit.config, number), number, as.programming);
      const CodeVector expected =
          decide_digits(transmit({unit.design, lit.state, unit.config.hardware,
                                  as.noisy ? NoiseSwitches(unit.config.noise) : NoiseSwitches{}},
                                 codes, {5, number, 0, 3}));
      received.push_back(chip_path(unit.made_of(), variant, number)(codes, at_step(3)));
      CHECK(received.back() == expected);
    }
  for (std::size_t a = 0; a < received.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) CHECK(received[a] != received[b]);
}

// Fails when a step's noise is drawn once for all, or by what was sent before
TEST_CASE("chip path: noise is another at every step, and the step's own") {
  for (const auto* engine : {"map", "light"}) {
    INFO(engine);
    const Unit unit({fmt::format("learner.engine={}", engine)});
    const Codes codes = drawn_codes(4);
    const CodeAverager path = chip_path(unit.made_of(), "noisy", 1);
    const CodeVector first = path(codes, at_step(0)), second = path(codes, at_step(1));
    CHECK(first != second);
    CHECK(chip_path(unit.made_of(), "noisy", 1)(codes, at_step(1)) == second);
    CHECK(path(codes, at_step(0)) == first);
  }
}

// 12 steps share 4 instants, three each; calibrations are due at instants 0 and 2. Fails when an instant is one
// step off, the chip keeps its first program or its oscillators in phase, or a training that goes on in the
// middle meets another chip
TEST_CASE("chip path: a chip lives through its instants with the steps, wherever training goes on") {
  for (const bool again : {false, true}) {
    const Unit unit({"learner.engine=light", "noise.shot=false", "noise.tia=false", "noise.rin=false",
                     "noise.converter=false", "link.oscillators=direct", "link.oscillator_loop_hz=0.01"});
    const char* const variant = again ? "recalibrated" : "drifting";
    INFO(variant);
    const Codes codes = drawn_codes(4);
    const DriftingChip chip = drifting_chip(unit.design, unit.config, 2);
    const std::vector<double> lag = oscillator_lag_rad_per_m(
        chip.history, std::vector<std::size_t>{0, 0, again ? 2u : 0u, again ? 2u : 0u}, unit.config.hardware);
    const CodeAverager path = chip_path(unit.made_of(), variant, 2);
    std::vector<CodeVector> received;
    for (std::uint32_t step = 0; step < 12; ++step) {
      CAPTURE(step);
      const std::size_t k = step / 3, calibrated = again && k >= 2 ? 2 : 0;
      const OperatedChip at = calibrated == 0 ? chip.first : calibrated_again(unit.design, unit.config, 2, 1);
      const ChipState state =
          settled_at(unit.design, unit.config, at, errors_at(unit.config, chip, at, calibrated, k),
                     {.oscillator_rad_per_m = lag[k]}, 2, k);
      received.push_back(path(codes, at_step(step)));
      CHECK(received.back() ==
            decide_digits(transmit({unit.design, state, unit.config.hardware}, codes, {5, 2, 0, step})));
      CHECK(chip_path(unit.made_of(), variant, 2)(codes, at_step(step)) == received.back());
    }
    for (const std::size_t k : {3u, 6u, 9u}) CHECK(received[k] != received[k - 1]);
  }
}

// Fails when units of one cascade are one chip, cascades of two trials share one, or the units above and below
// change places
TEST_CASE("chip path: five units of a cascade are five chips, others in every trial") {
  const Unit below({"learner.levels=2"}, {4, 4, Rounding::half_up, CascadeLevel::first}),
      above({"learner.levels=2"}, {4, 4, Rounding::half_up, CascadeLevel::second});
  StudyConfig config = below.config;
  config.task = {4, 4, Rounding::half_up};
  const std::vector<UnitDesign> levels = {below.made_of(), above.made_of()};
  const Codes codes = drawn_codes(16);
  std::vector<CodeVector> received;
  for (const std::uint32_t trial : {0u, 1u}) {
    std::vector<CodeAverager> units;
    for (std::uint32_t u = 0; u < 4; ++u)
      units.push_back(chip_path(below.made_of(), "corrected_quadrature", 5 * trial + u));
    received.push_back(code_path(config, levels, "corrected_quadrature", trial)(codes, at_step(0)));
    CHECK(received.back() == cascade_average(units, chip_path(above.made_of(), "corrected_quadrature",
                                                              5 * trial + 4))(codes, at_step(0)));
  }
  CHECK(received[0] != received[1]);
  CHECK(received[0] != ideal_average({.rounding = Rounding::half_up})(codes, {}));
}

// Fails when one of the three averages stands in for another, or injected errors are left out
TEST_CASE("chip path: codes are averaged as the aggregator says") {
  Unit unit;
  const Codes codes = drawn_codes(4);
  const CodeVector exact = ideal_average({.rounding = Rounding::half_up})(codes, {});
  const auto by = [&](const char* aggregator, double error_rate) {
    unit.config.learner.aggregator = aggregator;
    unit.config.learner.error_rate = error_rate;
    return code_path(unit.config, {unit.made_of()}, "uncorrected", 3)(codes, at_step(1));
  };
  CHECK(by("quantised", 0) == exact);
  CHECK(by("network", 0) == exact);
  const CodeVector chip = by("chip", 0);
  CHECK(chip == chip_path(unit.made_of(), "uncorrected", 3)(codes, at_step(1)));
  CHECK(chip != exact);
  for (const auto* aggregator : {"quantised", "network", "chip"}) {
    INFO(aggregator);
    CHECK(by(aggregator, 0.1) ==
          with_injected_errors([&](const Codes&, const StepContext&) { return by(aggregator, 0); }, 0.1, 4)(
              codes, at_step(1)));
  }
  unit.config.task.rounding = Rounding::floor;
  CHECK(by("quantised", 0) == ideal_average({.rounding = Rounding::floor})(codes, {}));
}
