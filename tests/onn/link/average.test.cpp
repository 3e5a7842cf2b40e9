#include "onn/link/average.hpp"

#include <cmath>

#include "onn/budget/unit_cost.hpp"
#include "onn/link/readout.hpp"
#include "onn/network/digit_sums.hpp"
#include "onn/task/words.hpp"

#include "tests/support/catch.hpp"

using namespace optinc;

namespace {

constexpr int servers = 4, digits = 4;

/// Sums of four servers that go to one of them.
struct Owned {
  ChipDesign design = design_chip(digit_sums({.servers = servers, .digits = digits}));
  ChipState chip;
  UnitHardware hardware;

  Owned() {
    const ErrorModel model = error_preset("ideal");
    chip = programmed_chip(design, fabricate(design, model, 1, 0), model, Programming::uncorrected);
    hardware.link.destinations = 1;
  }

  Codes codes(std::size_t words) const {
    Stream stream(3, Purpose::test);
    return codes_of_words(design.task, draw_words(design.task, words, stream));
  }
};

}  // namespace

// Fails when what is sent on is the sums, or a server receives the owner's noise in place of its own
TEST_CASE("an owner sends its answers to every server") {
  const Owned unit;
  const Codes codes = unit.codes(2000);
  for (std::uint32_t server = 0; server < servers; ++server)
    CHECK(average_codes({unit.design, unit.chip, unit.hardware}, codes, {.server = server}) ==
          exact_answers(unit.design.task, codes));

  NoiseSwitches noise;
  noise.tia = true;
  UnitHardware dim = unit.hardware;
  dim.link.launch_power_w = 1.5e-6;
  const LitUnit lit{unit.design, unit.chip, dim, noise};
  const CodeVector first = average_codes(lit, codes, {.server = 0}),
                   second = average_codes(lit, codes, {.server = 1});
  CHECK(first == average_codes(lit, codes, {.server = 0}));
  CHECK((first.array() != second.array()).any());
}

// Light for one owner is not split: its sums have the power of N servers' light, its answers a server's, split
// N ways. 400,000 words, 5 sigma: digits wrong at a server are those that PAM4 makes wrong of right answers.
// Fails when unit T splits for all, or the answers are not split
TEST_CASE("MC: an owner's light is its own, its answers' is split") {
  const Owned unit;
  UnitHardware all = unit.hardware;
  all.link.destinations = 0;
  const auto received = [&](const UnitHardware& hardware) {
    return receiver_powers_w({unit.design, unit.chip, hardware})[0];
  };
  const double tree = std::pow(10.0, -0.1 * 2 * unit.hardware.splitter.stage_excess_loss_db);
  CHECK(received(all) == Approx(received(unit.hardware) / servers * tree));

  NoiseSwitches noise;
  noise.tia = true;
  UnitHardware dim = unit.hardware;
  dim.link.launch_power_w = 6e-6;
  const WordLink broadcast = owner_broadcast(unit.design.task, dim);
  const LitUnit sent_on{broadcast.design, broadcast.chip, broadcast.hardware, noise};
  constexpr std::size_t words = 400'000;
  const Codes codes = unit.codes(words);
  const CodeVector exact = exact_answers(unit.design.task, codes);
  const CodeVector found = passed_on({unit.design, unit.chip, dim, noise}, CodeVector(exact), {.server = 2});
  const double rms = readout_rms(sent_on, 0, 0.0),
               expected = 1.5 * std::erfc(1 / (2 * std::sqrt(2.0) * rms)) / 2;
  CAPTURE(rms);
  CHECK(expected > 1e-4);
  // inner levels err either way, 0 and 3 one way: answers are not equally often every digit
  double wrong = 0.0, share = 0.0;
  const Eigen::MatrixXd got = digits_of(found, digits), sent = digits_of(exact, digits);
  for (Eigen::Index i = 0; i < got.size(); ++i) {
    wrong += got.data()[i] != sent.data()[i];
    share += sent.data()[i] == 0 || sent.data()[i] == 3 ? 0.5 : 1.0;
  }
  const double mean = share * std::erfc(1 / (2 * std::sqrt(2.0) * rms));
  CHECK(mean > 100);
  CHECK(std::abs(wrong - mean) < 5 * std::sqrt(mean));
}

// By hand: of one coupler, fibre and multiplexer. Fails when a way that is not there loses light, takes a
// coupler's or an oscillator's power, or a first level is not decided where the unit stands
TEST_CASE("sums that the unit decides reach it without a fibre, and answers go one way") {
  const Owned unit;
  UnitHardware central = unit.hardware;
  central.fibre.multiplexer_loss_db = 1.5;
  const UnitHardware remote = central;
  central.owner.place = OwnerPlace::unit;
  const Codes codes = unit.codes(500);
  for (std::uint32_t server = 0; server < servers; ++server)
    CHECK(average_codes({unit.design, unit.chip, central}, codes, {.server = server}) ==
          exact_answers(unit.design.task, codes));
  const double way_db = fibre_loss_db(central.fibre) + central.coupler.loss_db,
               way = std::pow(10, -way_db / 10);
  const auto received = [&](const ChipDesign& design, const UnitHardware& hardware) {
    return receiver_powers_w({design, unit.chip, hardware})[0];
  };
  CHECK(received(unit.design, remote) == Approx(received(unit.design, central) * way));
  const ChipDesign first =
      design_chip(digit_sums({.servers = servers, .digits = digits, .level = CascadeLevel::first}));
  CHECK(received(first, remote) == Approx(received(first, central) * way));

  const ErrorModel model = error_preset("ideal");
  const ChipBudget at_server = budget(unit.design, model, remote),
                   at_unit = budget(unit.design, model, central);
  CHECK(at_server.loss_db.total() - at_unit.loss_db.total() == Approx(2 * way_db));
  CHECK(at_unit.stages[at_unit.stages.size() - 1].receivers == servers * digits);
  CHECK(at_unit.die_area_m2 - at_server.die_area_m2 ==
        Approx(digits * (central.layout.receiver_area_m2 + central.layout.modulator_area_m2)));
  // four oscillators and four modulators behind the seed's tree to five ends, a coupler, and one to eight ends
  const double to_chip_db = (3 + 3) * central.splitter.stage_excess_loss_db + central.coupler.loss_db;
  const auto lasers_w = [&](std::size_t stage) {
    return at_unit.static_power_w.part("lasers").by_stage[stage] * central.laser.wall_plug_efficiency;
  };
  const std::size_t unit_t = at_unit.stages.size() - 2;
  CHECK(lasers_w(unit_t) == Approx(digits * central.receiver.lo_power_w * std::pow(10, to_chip_db / 10)));
  const double answers_w = digits * central.link.launch_power_w *
                           std::pow(10, (to_chip_db + central.modulator.insertion_loss_db) / 10);
  const double oscillators_w =
      at_server.static_power_w.part("lasers").by_stage[unit_t] * central.laser.wall_plug_efficiency * servers;
  CHECK(lasers_w(unit_t + 1) == Approx(answers_w + oscillators_w));
}

// 8 % of the words would be wrong: pairs of errors in a block are left, and what the owner's answers add. Fails
// when the key checks nothing, or a budget forgets the check words
TEST_CASE("sums that are checked are right, and their check words are paid for") {
  Owned unit;
  unit.hardware.link.destinations = 0;
  unit.hardware.link.launch_power_w = 1.6e-5;
  NoiseSwitches noise;
  noise.tia = true;
  const Codes codes = unit.codes(4000);
  const CodeVector exact = exact_answers(unit.design.task, codes);
  const auto wrong = [&](const UnitHardware& hardware) {
    return (average_codes({unit.design, unit.chip, hardware, noise}, codes, {}).array() != exact.array())
        .count();
  };
  UnitHardware checked = unit.hardware;
  checked.link.check_block = 8;
  const auto raw = wrong(unit.hardware);
  CHECK(raw > 40);
  CHECK(wrong(checked) < raw / 4);
  const ErrorModel model = error_preset("ideal");
  CHECK(budget(unit.design, model, checked).bits_per_word ==
        Approx(budget(unit.design, model, unit.hardware).bits_per_word * 8 / 9));
}

// By the parts alone: sums take N M modulators and M receivers, what the owner sends on M modulators and N M
// receivers, over trees and fibres of their own. Fails when the owner's way costs nothing, or sums are received
// N times
TEST_CASE("an owner's way on is in the budget") {
  const Owned unit;
  const ErrorModel model = error_preset("ideal");
  const ChipProgram programmed =
      program(unit.design, fabricate(unit.design, model, 1, 0), 0, Programming::uncorrected);
  const ChipBudget b = budget(unit.design, programmed, model, unit.hardware, {});
  const UnitCost cost = unit_cost(digit_sums(unit.design.task), b);
  CHECK(cost.modulators == digits * (servers + 1));
  CHECK(cost.receivers == digits * (1 + servers));
  CHECK(cost.conversions == 1);  // light, electricity, light
  const WordLink broadcast = owner_broadcast(unit.design.task, unit.hardware);
  // its own converters, light, drives (C V^2) and bandwidth, of N M receivers and M modulators
  UnitHardware frugal = unit.hardware;
  frugal.owner = {.launch_power_w = frugal.link.launch_power_w / 4,
                  .oscillator_w = frugal.receiver.lo_power_w / 2,
                  .converter_bits = frugal.converter.effective_bits - 1,
                  .drive_depth = 0.5,
                  .bandwidth_hz = frugal.receiver.front_end.bandwidth_hz / 2,
                  .equaliser_taps = 5};
  const ChipBudget less = budget(unit.design, programmed, model, frugal, {});
  const std::size_t at = b.stages.size() - 1;
  CHECK(less.symbol_power_w.part("converters").by_stage[at] ==
        Approx(b.symbol_power_w.part("converters").by_stage[at] / 2));
  CHECK(less.static_power_w.part("lasers").by_stage[at] < 0.5 * b.static_power_w.part("lasers").by_stage[at]);
  CHECK(less.static_power_w.part("lasers").by_stage[0] == Approx(b.static_power_w.part("lasers").by_stage[0]));
  const WordLink dimmed = owner_broadcast(unit.design.task, frugal);
  CHECK(receiver_powers_w({dimmed.design, dimmed.chip, dimmed.hardware})[0] ==
        Approx(receiver_powers_w({broadcast.design, broadcast.chip, broadcast.hardware})[0] / 16));
  CHECK(dimmed.hardware.timing.equaliser_taps == 5);
  const auto& drivers = b.symbol_power_w.part("modulator drivers").by_stage;
  CHECK(less.symbol_power_w.part("modulator drivers").by_stage[at] < drivers[at] / 2);
  CHECK(less.symbol_power_w.part("modulator drivers").by_stage[0] == drivers[0]);
  CHECK(less.delay_s.part("receivers").by_stage[at] == Approx(2 * b.delay_s.part("receivers").by_stage[at]));
  UnitHardware all = unit.hardware;
  all.link.destinations = 0;
  CHECK(b.delay_s.total() > 1.3 * budget(unit.design, programmed, model, all, {}).delay_s.total());
}
