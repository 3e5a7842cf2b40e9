#include "experiments/study/study_warnings.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "onn/chip/heater_power.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/configs.hpp"

using namespace optinc;

namespace {

std::vector<StudyWarning> of(const std::string& text, const std::vector<std::string>& settings = {}) {
  return study_warnings(parse(text, settings));
}

bool any_about(const std::vector<StudyWarning>& warnings, const std::string& key) {
  return std::ranges::any_of(warnings, [&](const StudyWarning& w) { return w.key == key; });
}

/// Within the limit nothing is said of the key, beyond it one line is.
struct Limit {
  std::string key, within, beyond, around;
};

const std::string small = "[network]\nhidden = [8, 8]\n";

}  // namespace

// mutation: error_warnings compares with >= and not >, or a device's list is left out of point_warnings
TEST_CASE(
    "what a device calls unlike anything built is said of the key that asks for it, at both sides of a limit") {
  const std::string drift = "model = 'drift'\n" + small, mesh = "model = 'mesh'\n";
  const std::string heat = small + "[crosstalk]\nx0 = 0.05\n",
                    warm = small + "[environment]\nwavelength_m = 1e-10\n";
  const std::vector<Limit> limits = {
      {"chip.sigma_eta_rad", "0.08", "0.081", small},
      {"chip.sigma_eta_rad", "0.08", "0.5", mesh},
      {"chip.sigma_cal_rad", "0.05", "0.051", small},
      {"chip.mzi_loss_db", "3.6", "3.7", small},
      {"chip.arm_loss_spread_db", "0.4", "0.41", small},
      {"chip.dac_bits", "16", "17", small},
      {"chip.sigma_phase_rad", "0.01", "0.011", small},
      {"link.launch_power_w", "0.1", "0.11", small},
      {"link.signal_full_scale_w", "0.1", "0.11", small},
      {"receiver.lo_power_w", "0.1", "0.11", small},
      {"laser.rin_db_per_hz", "-130.0", "-129.0", small},
      {"laser.rin_db_per_hz", "-165.0", "-166.0", small},
      // q lambda/(h c) = 1.602176634e-19 1.55e-6/(6.62607015e-34 299792458) = 1.25016
      {"receiver.responsivity_a_per_w", "1.2501", "1.2502", small},
      {"receiver.dark_current_a", "200e-9", "201e-9", small},
      {"receiver.tia_noise_a_per_rthz", "1e-12", "0.9e-12", small},
      {"receiver.tia_noise_a_per_rthz", "99e-12", "101e-12", small},
      {"receiver.bandwidth_hz", "150e9", "151e9", small},
      {"crosstalk.x0", "0.1", "0.11", small},
      {"crosstalk.d0_m", "20e-6", "19e-6", heat},
      {"layout.mzi_length_m", "300e-6", "301e-6", heat},
      {"layout.mzi_width_m", "20e-6", "19e-6", heat},
      {"drift.splitter_rad_per_m", "5e6", "5.1e6", warm},
      {"drift.splitter_rad_per_m", "-5e6", "-5.1e6", drift},
      {"heater.pi_power_w", "30e-3", "31e-3", drift},
      {"heater.pi_power_w", "0.05e-3", "0.04e-3", drift},
      {"die.capacity_j_per_k", "200.0", "201.0", drift}};
  for (const Limit& l : limits) {
    INFO(l.key << " " << l.within << " " << l.beyond);
    CHECK_FALSE(any_about(of(l.around, {l.key + "=" + l.within}), l.key));
    CHECK(any_about(of(l.around, {l.key + "=" + l.beyond}), l.key));
  }
}

// mutation: the estimate forgets the attenuators, or the limit of 60 K moves
TEST_CASE("a die that its heaters keep more than 60 K over ambient is told before the run") {
  // 4-8-8-4: blocks of 4, 8 and 4 ports, two of the first and last kind: MZIs 2 (6 + 4) + (28 + 8) + 2 (6 + 4)
  // = 76; each takes P_pi (1 + <theta>/pi), 0 < <theta> < pi/2
  const StudyConfig config = parse(small);
  const double per_watt = expected_heater_power_w(network_shape(config), 1.0);
  CHECK(per_watt > 76.0);
  CHECK(per_watt < 76.0 * 1.5);
  const auto at = [&](double rise_k) {
    const double resistance = rise_k / (per_watt * 1e-3);
    return of("model = 'drift'\n" + small, {fmt::format("die.resistance_k_per_w={}", resistance),
                                            fmt::format("die.capacity_j_per_k={}", 1.0 / resistance)});
  };
  CHECK(at(59.9).empty());
  REQUIRE(at(60.1).size() == 1);
  CHECK(at(60.1)[0].key == "heater.pi_power_w");
  CHECK(at(60.1)[0].text.find("60.1 K") != std::string::npos);
  // of the paper's network 1 W a pi melts anything
  CHECK(any_about(of("model = 'drift'\n", {"heater.pi_power_w=1.0"}), "heater.pi_power_w"));
}

// mutation: only the study's own chip is looked at, or every point says it again
TEST_CASE("every point of a sweep is looked at and each warning is told once, with the first point") {
  const std::string sweep =
      "[[sweep]]\nvalues = {'chip.sigma_eta_rad' = [0.01, 0.1, 0.2]}\n"
      "[[sweep]]\nvalues = {'receiver.lo_power_w' = [1e-3, 1.0]}\n";
  const auto found = of(small + sweep);
  REQUIRE(found.size() == 2);
  CHECK(found[0].key == "receiver.lo_power_w");
  CHECK(found[0].point == "sigma_eta_rad = 0.01, lo_power_w = 1.0");
  CHECK(found[0].points == 3);
  CHECK(found[1].line().starts_with("chip.sigma_eta_rad: sigma_eta_rad = 0.1 is above 0.08 rad"));
  CHECK(found[1].line().ends_with("(at sigma_eta_rad = 0.1, lo_power_w = 0.001, the first of 4 points)"));
  const auto everywhere =
      of(small + "[receiver]\nlo_power_w = 1.0\n[[sweep]]\nvalues = {'chip.dac_bits' = [8, 9]}\n");
  REQUIRE(everywhere.size() == 1);
  CHECK(everywhere[0].line().ends_with("(at every point, the first dac_bits = 8)"));
}

// mutation: warnings of one key are one whatever their field is
TEST_CASE("two warnings of one key are told apart by what they are about, not by their text") {
  // 31 mW a pi is more than published heaters take, and its heaters melt a die of 1000 K/W
  const auto found =
      of("model = 'drift'\n" + small,
         {"heater.pi_power_w=31e-3", "die.resistance_k_per_w=1000.0", "die.capacity_j_per_k=1e-3"});
  REQUIRE(found.size() == 2);
  CHECK(found[0].key == "heater.pi_power_w");
  CHECK(found[1].key == "heater.pi_power_w");
  CHECK(found[0].field != found[1].field);
  // the two sides of a range differ in no key and no field: one warning of two points
  const auto sides = of(small + "[[sweep]]\nvalues = {'laser.rin_db_per_hz' = [-100.0, -200.0]}\n");
  REQUIRE(sides.size() == 1);
  CHECK(sides[0].points == 2);
}

// mutation: [crosstalk] or [drift] warns in a study that does not use it
TEST_CASE("what a study does not use is not warned of") {
  CHECK(of("").empty());
  CHECK(of(small, {"crosstalk.d0_m=19e-6"}).empty());  // x0 = 0
  CHECK(of("model = 'drift'\n").empty());
}

// Fails when a start counts for networks that are not trained, or a share's limit may lie anywhere
TEST_CASE("keys that can change nothing are told") {
  const auto start = of("model = 'chip'\n", {"network.source=carry-chain", "task.rounding=half-up",
                                             "network.start=shipped/published"});
  REQUIRE(start.size() == 1);
  CHECK(start[0].line().starts_with("network.start: \"shipped/published\" has no effect"));
  CHECK(of("model = 'chip'\n", {"link.limiter_knee=0.1", "training.noise=1"}).empty());
  CHECK(of("model = 'chip'\n", {"link.limiter_knee=0.1"})
            .at(0)
            .line()
            .starts_with("link.limiter_knee: acts on chips"));
  CHECK(of("model = 'chip'\n", {"modulator.loss_db=3"})
            .at(0)
            .line()
            .starts_with("modulator.loss_db: changes nothing"));
  CHECK(of("model = 'chip'\n", {"modulator.loss_db=3", "measure.once=['cost']"}).empty());
  const auto limit = of("model = 'chip'\n", {"yield.metric=word_accuracy", "yield.limit=3.5"});
  REQUIRE(limit.size() == 1);
  CHECK(limit[0].line().starts_with("yield.limit: 3.5 is outside the range of word_accuracy"));
  CHECK(limit[0].line().find("no trials pass") != std::string::npos);
  CHECK(of("model = 'chip'\n", {"yield.metric=word_accuracy", "yield.limit=0.5"}).empty());
}

// mutation: a member of [time] or the training's own noise is not looked at
TEST_CASE("what settled words and trainings leave out of [time] is said") {
  for (const char* set : {"symbol_rate_bd=4e10", "equaliser_taps=5", "jitter_s=1e-13",
                          "sampler=integrate-and-dump", "lane_skew_s=1e-12", "layer_skew_s=1e-12"}) {
    INFO(set);
    const std::string asked = fmt::format("time.{}", set);
    CHECK(any_about(of(small, {asked}), "time.sampling"));
    CHECK_FALSE(any_about(of(small, {asked, "time.sampling=clocked", "training.noise=1.0"}), "time.sampling"));
  }
  const std::string unclocked = "time.sampling=unclocked", noisy = "training.noise=1.0";
  CHECK(any_about(of(small, {unclocked, noisy}), "time.sampling"));
  CHECK(any_about(of(small, {unclocked}), "time.sampling"));  // trained for settled words
  CHECK(any_about(of(small, {"time.sampling=clocked"}), "time.sampling"));
  CHECK(any_about(of("[network]\nsource = 'carry-chain'\n[task]\nrounding = 'half-up'\n",
                     {unclocked, "time.jitter_s=1e-13"}),
                  "time.sampling"));
}

// mutation: a shipped study sets something no device has
TEST_CASE("no study that is shipped warns") {
  int studies = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(TEST_DATA_DIR "/../../experiments/data/studies")) {
    if (file.path().extension() != ".toml") continue;
    INFO(file.path());
    CHECK(lines_of(study_warnings(load_config(file.path()))) == std::vector<std::string>{});
    ++studies;
  }
  CHECK(studies >= 13);
}

// mutation: the budget leaves the die out, or looks at another resistance
TEST_CASE("a budget warns of its own devices and of the die") {
  StudyConfig config = parse(small);
  CHECK(budget_warnings(config, 119.9).empty());  // 0.5 K/W
  CHECK(any_about(budget_warnings(config, 120.1), "heater.device"));
  config.chip = error_preset("doped-heaters");
  CHECK(
      any_about(budget_warnings(config, 0.0), "heater.device"));  // which loses light, and this heater does not
  config.hardware.heater = HeaterSettings("harris-2014-heater");
  CHECK_FALSE(any_about(budget_warnings(config, 0.0), "heater.device"));
  config.hardware.laser.power_w = 0.2;
  config.hardware.modulator.insertion_loss_db = 13.0;
  config.hardware.layout.mzi_length_m = 301e-6;
  for (const char* key : {"laser.power_w", "modulator.loss_db", "layout.mzi_length_m"})
    CHECK(any_about(budget_warnings(config, 0.0), key));
}

// mutation: sends_codes() is not asked, or one of the four keys is left out
TEST_CASE("what acts on codes is said to do nothing where none are sent") {
  const char* const study =
      "model = 'learning'\n[network]\nsource = 'carry-chain'\n[task]\nrounding = 'half-up'\n[noise]\nlock = "
      "false\n";
  const std::vector<std::pair<const char*, const char*>> settings = {
      {"error_rate", "0.5"}, {"offset_lsb", "8.0"}, {"error_feedback", "true"}, {"range_guard", "true"}};
  for (const auto& [key, value] : settings) {
    const std::string name = fmt::format("learner.{}", key), asked = fmt::format("{}={}", name, value);
    INFO(asked);
    CHECK(any_about(of(study, {asked, "learner.aggregator=ring"}), name));
    CHECK_FALSE(any_about(of(study, {asked, "learner.aggregator=quantised"}), name));
  }
  CHECK(of(study, {"learner.aggregator=exact", "noise.lock=true"}).empty());
}

// mutation: points are not asked for a chip, or swept keys are not looked at
TEST_CASE("what acts on chips is said to do nothing where a learner meets none") {
  const char* const study =
      "model = 'learning'\n[network]\nsource = 'carry-chain'\n[task]\nrounding = 'half-up'\n[noise]\nlock = "
      "false\n";
  const auto sweep = [&](const char* key, const char* values) {
    return fmt::format("{}[[sweep]]\nvalues = {{ \"{}\" = {} }}\n", study, key, values);
  };
  CHECK(any_about(of(study, {"learner.aggregator=ring"}), "[noise]"));
  CHECK_FALSE(any_about(of(study, {"learner.aggregator=ring"}), "[chip]"));
  CHECK(any_about(of(study, {"chip.preset=doped-heaters", "learner.aggregator=ring"}), "[chip]"));
  CHECK(any_about(of(sweep("chip.sigma_eta_rad", "[0.01, 0.02]"), {"learner.aggregator=ring"}), "[chip]"));
  CHECK(of(study, {"chip.preset=doped-heaters", "learner.aggregator=chip"}).empty());
  CHECK(of(sweep("learner.aggregator", "['ring', 'chip']"), {"chip.preset=doped-heaters"}).empty());
}

// mutation: answers are checked, or nobody says that they cannot be
TEST_CASE("checks of answers change nothing") {
  CHECK(any_about(of(small, {"link.check_block=16"}), "link.check_block"));
  CHECK_FALSE(any_about(of(small, {"link.check_block=16", "network.source=digit-sums"}), "link.check_block"));
}

// mutation: a sweep over ways of averaging is warned of what one of them does not use
TEST_CASE("what some points of a sweep use is not idle") {
  const std::string over_sources = "[[sweep]]\nvalues = {\"network.source\" = ['digit-sums', 'ring']}\n";
  CHECK(of(over_sources, {"link.destinations=1", "owner.converter_bits=3"}).empty());
  CHECK(any_about(of(over_sources, {"owner.converter_bits=3"}), "owner"));
}

// mutation: sums, rings and hubs have neurons, or networks none
TEST_CASE("what neurons alone use changes nothing without any") {
  for (const char* key : {"neuron.oscillator_w=1e-4", "neuron.bandwidth_hz=2e10", "neuron.equaliser_taps=1"}) {
    CAPTURE(key);
    CHECK(any_about(of(small, {key, "network.source=digit-sums"}), "neuron"));
    CHECK(any_about(of(small, {key, "network.source=ring"}), "neuron"));
    CHECK_FALSE(any_about(of(small, {key, "network.source=carry-chain"}), "neuron"));
  }
}

// mutation: a network's answer has an owner, or all the owner's keys are not asked
TEST_CASE("what an owner of sums alone uses changes nothing without one") {
  for (const char* key :
       {"owner.launch_power_w=1e-4", "owner.oscillator_w=1e-4", "owner.converter_bits=3",
        "owner.drive_depth=0.5", "owner.bandwidth_hz=2e10", "owner.equaliser_taps=1", "owner.place=unit"}) {
    CAPTURE(key);
    CHECK(any_about(of(small, {key}), "owner"));
    CHECK(any_about(of(small, {key, "network.source=digit-sums"}), "owner"));
    CHECK_FALSE(any_about(of(small, {key, "network.source=digit-sums", "link.destinations=1"}), "owner"));
  }
}
