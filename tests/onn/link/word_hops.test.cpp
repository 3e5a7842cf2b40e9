#include "onn/link/word_hops.hpp"

#include <cmath>

#include "onn/budget/unit_cost.hpp"
#include "onn/link/readout.hpp"
#include "onn/link/reference_transmit.hpp"
#include "onn/link/transmission.hpp"
#include "onn/network/digit_sums.hpp"
#include "onn/task/words.hpp"
#include "physics/random/stream.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

/// A unit in which electronics add.
struct Hopping {
  ChipDesign design;
  ChipState chip;
  UnitHardware hardware;

  explicit Hopping(Task task, Adder adder) : design(design_chip(word_hops(task, adder))) {
    const ErrorModel model = error_preset("ideal");
    chip = programmed_chip(design, fabricate(design, model, 1, 0), model, Programming::uncorrected);
  }

  LitUnit lit(NoiseSwitches noise = {}) const { return {design, chip, hardware, noise}; }

  Codes codes(Eigen::Index words) const {
    Stream stream(3, Purpose::test);
    Codes drawn(words, design.task.servers);
    for (auto& code : drawn.reshaped())
      code = static_cast<std::uint32_t>(stream.uniform() *
                                        static_cast<double>(std::uint64_t{1} << design.task.bits()));
    return drawn;
  }
};

}  // namespace

// By integer arithmetic. Fails when a carry into the longer digits of a partial sum is lost, a server adds
// twice, or a word takes another server's answer
TEST_CASE("without noise, words that hop are averaged exactly") {
  for (const Adder adder : {Adder::ring, Adder::hub})
    for (const int servers : {1, 2, 3, 4, 8, 17, 130})
      for (const Rounding rounding : {Rounding::half_even, Rounding::half_up, Rounding::stochastic})
        for (const int digits : {1, 4}) {
          CAPTURE(name_of(adder), servers, name_of(rounding), digits);
          const Hopping unit({servers, digits, rounding}, adder);
          const Codes codes = unit.codes(200);
          for (const int server : {0, servers - 1}) {
            const TransmissionSeed seed{.server = static_cast<std::uint32_t>(server), .instant = 2};
            CHECK(decide(unit.design.task, transmit(unit.lit(), codes, seed)) ==
                  exact_answers(unit.design.task, codes, 2));
          }
        }
  const Hopping wide({4, 16, Rounding::half_even}, Adder::ring);  // sums of 34 bits
  const Codes codes = wide.codes(100);
  CHECK(decide(wide.design.task, transmit(wide.lit(), codes, {})) == exact_answers(wide.design.task, codes));
}

// Digits wrong at a hop, from the rms of its receiver alone: a level errs to either side with Q(1/2 / rms). A
// word of the ring passes N - 1 hops of sums and up to N - 1 of answers, and a wrong least digit of a sum is a
// wrong mean. 5 sigma. Fails when a hop is free of noise, hops share their noise (of 256 servers also by
// numbers that overflow: half as many words are wrong then), or a hub's down link is
TEST_CASE("MC: every hop makes errors of its own") {
  for (const auto& [adder, servers] :
       {std::pair(Adder::ring, 4), std::pair(Adder::hub, 4), std::pair(Adder::hub, 256)}) {
    CAPTURE(name_of(adder), servers);
    Hopping unit({.servers = servers, .digits = 1, .reduction = Reduction::saturated_sum}, adder);
    unit.hardware.link.launch_power_w = 1.35e-6;
    NoiseSwitches noise;
    noise.tia = true;
    const WordLink link(1, unit.hardware);
    const double rms = readout_rms({link.design, link.chip, link.hardware, noise}, 0, 0.0),
                 q = std::erfc(0.5 / (std::sqrt(2.0) * rms)) / 2;
    CAPTURE(rms, q);
    // all send 0: a digit errs upwards alone, by one step, with chance q on each of the hops of a sum; and an
    // answer of 0 with chance q on each of its own
    const Eigen::Index words = 1'600'000 / servers;
    const Codes dark = Codes::Zero(words, servers);
    const CodeVector found = decide(unit.design.task, transmit(unit.lit(noise), dark, {.server = 1}));
    // round the ring a sum's first hop has 1 digit, its second and third 2 (a wrong upper one saturates the
    // sum); then 0, 1, 2 or 3 hops of the answer. By the hub 4 up, 1 down
    const double hops = adder == Adder::ring ? 1 + 2 + 2 + 1.5 : servers + 1;
    // errors of a hub's sum add up; round the ring a second one undoes or hides the first in hops q of the
    // cases
    const double wrong = static_cast<double>((found.array() != 0).count()),
                 mean = static_cast<double>(words) * (1 - std::pow(1 - q, hops)),
                 second = adder == Adder::ring ? hops * q : 2 * q;
    CHECK(mean > 400);
    CHECK(std::abs(wrong - mean) < 5 * std::sqrt(mean) + second * mean);
  }
}

// The slow twin of a word's last hop; without noise the hops before it decide right. Fails when a word comes by
// another hop, or the fast path sends other fields
TEST_CASE("a ring is its links, one after the other") {
  Hopping unit({.servers = 3, .digits = 2}, Adder::ring);
  unit.hardware.modulator.leak = 0.01;  // levels that are not whole digits, all of the same error
  const Codes codes = unit.codes(30);
  const Task& task = unit.design.task;
  const WordLink link(2, unit.hardware);
  const ErrorModel ideal = error_preset("ideal");
  const ChipErrors errors = fabricate(link.design, ideal, 1, 0);
  const ReferenceChip bare =
      reference_chip(link.design, program(link.design, errors, 0, Programming::uncorrected), errors, ideal);
  const auto hop = [&](std::uint32_t code) {
    Stream unused(1, Purpose::test);
    return reference_transmit({link.design, bare, link.hardware}, Codes::Constant(1, 1, code), {}, unused);
  };
  for (const std::uint32_t server : {0u, 1u, 2u}) {
    const Eigen::MatrixXd fast = transmit(unit.lit(), codes, {.server = server});
    for (Eigen::Index w = 0; w < codes.rows(); ++w) {
      const auto owner = static_cast<std::uint32_t>(w % 3);
      if (owner == server) continue;
      const std::uint32_t answer = exact_answers(task, codes.row(w))[0];
      CHECK((fast.col(w) - hop(answer)).cwiseAbs().maxCoeff() < 1e-10);
    }
  }
  check_message(refusal([&] {
                  Stream unused(1, Purpose::test);
                  reference_transmit({unit.design, bare, unit.hardware}, codes, {}, unused);
                }),
                {"ring"});
}

// From the link alone, by hand. A ring of 8 passes on sums of 1, 2-4 and 5-7 codes with 4, 5 and 6 digits: 37
// digits, and 28 of answers, over 8 links of 4 lanes. Fails when a link, a hop or the longer sums are not paid
// for
TEST_CASE("the budget of hops is that of their links") {
  const Task task{.servers = 8};
  CHECK(hop_plan({.servers = 8, .adder = Adder::ring}).slots == Approx(65 / 32.0));
  const ErrorModel model = error_preset("ideal");
  const auto cost_of = [&](Adder adder, const BudgetSettings& settings = {}) {
    const Network network = word_hops(task, adder);
    return unit_cost(network, budget(design_chip(network), model, UnitHardware(), settings));
  };
  const Network one = digit_sums({.servers = 1});
  const ChipBudget link = budget(design_chip(one), model, UnitHardware());
  const UnitCost ring = cost_of(Adder::ring), hub = cost_of(Adder::hub);
  CHECK(ring.modulators == 32);
  CHECK(ring.receivers == 32);
  CHECK(hub.modulators == 64);
  CHECK(ring.conversions == 13);
  CHECK(ring.delay_s == Approx(14 * link.delay_s.total()));
  const double rate = ring.symbol_rate_bd,
               drivers_w = link.symbol_power_w.total() - link.symbol_power_w.part("additions").total();
  CHECK(ring.symbol_power_w == Approx(8 * drivers_w + addition_j_per_bit * 64 * rate / (65 / 32.0)));
  CHECK(hub.symbol_power_w == Approx(16 * drivers_w + addition_j_per_bit * 64 * rate));
  CHECK(cost_of(Adder::hub, {.hub_j_per_bit = 1e-12}).symbol_power_w - hub.symbol_power_w ==
        Approx(1e-12 * 64 * rate));
  CHECK(ring.energy_per_bit_j() ==
        Approx((ring.static_power_w + ring.symbol_power_w) / (64 * rate / (65 / 32.0))));
  // a fibre less than to a unit and back: less laser light for the same launch
  CHECK(ring.static_power_w < 8 * link.static_power_w.total());
}
