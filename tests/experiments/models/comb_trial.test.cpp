// Model comb: the wavelengths of a comb through one chip.

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "experiments/models/trial_model.hpp"
#include "experiments/run/trials/run_trials.hpp"
#include "experiments/study/points.hpp"
#include "onn/link/transmission.hpp"
#include "onn/network/carry_chain.hpp"
#include "onn/task/words.hpp"
#include "physics/devices/laser.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/configs.hpp"
#include "tests/support/networks.hpp"
#include "tests/support/trial_record.hpp"

using namespace optinc;

namespace {

const Task task{2, 2, Rounding::half_even};

StudyConfig study(const std::string& model, const std::string& more = {}) {
  return parse(
      fmt::format("model = '{}'\n[run]\nseed = 5\n[task]\nservers = 2\nbits = 4\n[network]\nhidden = [8, "
                  "16]\n[measure]\nwords = 40\n[chip]\npreset = 'good-lab'\n{}",
                  model, more));
}

/// Variants: 0 uncorrected, 1 corrected, 2 noisy. Trial 1 of a study of a network whose codes answer to its
/// chip.
TrialRecord trial_of(const StudyConfig& config) {
  Network network = random_network(task, {8, 16});
  network.layers.back().bias.setConstant(1.5);  // outputs about the middle of the digits
  if (config.network.source == "carry-chain") network = carry_chain(config.task, config.network.carry_chain);
  const Networks networks = {{"", network, {}}};
  const TrialModel model = config.model == "comb" ? comb_model(config, networks) : chip_model(config, networks);
  return {model, run_trial(model, config, {0, 1}).record};
}

std::string comb(int channels, double spacing_hz, const std::string& more = {}) {
  return fmt::format("[comb]\nchannels = {}\nspacing_hz = {}\n{}", channels, spacing_hz, more);
}

}  // namespace

// Fails when the middle channel is detuned by rounding, its words or noise have another number than 0, or only
// one of the two turns its oscillators
TEST_CASE("comb: the middle channel is the chip of model chip, word by word") {
  for (const char* more : {"", "[environment]\ntemperature_k = 0.2\n[link]\noscillators = 'direct'\n"}) {
    const TrialRecord middle = trial_of(study("comb", comb(5, 1e11, more))),
                      chip = trial_of(study("chip", more));
    for (const std::size_t v : {0u, 1u, 2u}) {
      CHECK(middle.of("channel_error_rms", v)[2] == chip.of("code_error_rms", v)[0]);
      CHECK(middle.of("channel_accuracy", v)[2] == chip.of("word_accuracy", v)[0]);
    }
  }
}

// Fails when a channel's wavelength is off to the wrong side, or [environment] is left out
TEST_CASE("comb: a channel is the chip at its wavelength") {
  const std::string all = "[environment]\ntemperature_k = 3\nwavelength_m = 5e-8\n";
  const auto every_word = [&](const std::string& model, const std::string& more) {
    StudyConfig config = study(model, more);
    config.measure.words = 0;
    return trial_of(config);
  };
  const TrialRecord of_comb = every_word("comb", comb(3, 4e11, all));
  constexpr double c =
      299792458.0;  // channels lie about the light that is there, not about the laser's nominal
  for (const int k : {-1, 0, 1}) {
    const std::string there = fmt::format("[environment]\ntemperature_k = 3\nwavelength_m = {}\n",
                                          c / (c / (1550e-9 + 5e-8) + k * 4e11) - 1550e-9);
    const TrialRecord chip = every_word("chip", there);
    for (const std::size_t v : {0u, 1u})
      CHECK(of_comb.of("channel_error_rms", v)[static_cast<std::size_t>(k + 1)] ==
            chip.of("code_error_rms", v)[0]);
  }
  CHECK(of_comb.of("channel_error_rms", 1)[0] != of_comb.of("channel_error_rms", 1)[2]);
  // 100 GHz at 1550 nm are 0.8 nm, shorter where the frequency is higher
  CHECK(wavelength_change_m(1550e-9, 1e11) == Approx(-0.8010e-9).epsilon(1e-3));
  CHECK(wavelength_change_m(1550e-9, 0.0) == 0.0);
}

// Channels 1 MHz apart meet one and the same chip. Fails when channels share noise, words or limiters, or when
// heaters' phase noise is drawn for every channel
TEST_CASE("comb: channels have words, noise and receivers of their own, and one chip") {
  const auto every_word = [](const std::string& more) {
    StudyConfig config = study("comb", comb(3, 1e6, more));
    config.chip.sigma_phase_rad = 0.3;
    config.measure.words = 0;
    return trial_of(config);
  };
  const TrialRecord alike = every_word("");
  CHECK(alike.of("channel_error_rms", 1)[0] == alike.of("channel_error_rms", 1)[2]);
  CHECK(alike.of("channel_error_rms", 2)[0] != alike.of("channel_error_rms", 2)[2]);
  const TrialRecord turned = every_word("[link]\nsigma_oscillator_rad = 0.3\n");
  CHECK(turned.of("channel_error_rms", 1)[0] != turned.of("channel_error_rms", 1)[2]);
  // oscillators past the meshes turn with the die on all channels, unless they are locked
  const std::string warmer = "[environment]\ntemperature_k = 0.2\n";
  const auto rms = [&](const std::string& link) {
    return every_word(warmer + "[link]\n" + link).of("channel_error_rms", 1)[1];
  };
  CHECK(rms("oscillators = 'direct'\n") != rms(""));
  CHECK(rms("oscillators = 'direct'\noscillator_loop_hz = 1\n") == rms(""));
  const TrialRecord drawn = trial_of(study("comb", comb(3, 1e6)));
  CHECK(drawn.of("channel_error_rms", 1)[0] != drawn.of("channel_error_rms", 1)[2]);
}

// Fails when limiters are those of the chip whatever the channel
TEST_CASE("comb: a channel's limiters are its own") {
  const ChipDesign design = design_chip(random_network(task, {8, 16}));
  const ChipState state = programmed_chip(design, fabricate(design, {}, 1, 0), {}, Programming::corrected);
  UnitHardware hardware;
  hardware.link.sigma_limiter = 0.1;
  const std::vector<std::uint64_t> words = {0, 3, 17, 33, 48};
  const auto on = [&](std::uint32_t channel) {
    return transmit({design, state, hardware}, codes_of_words(task, words), {.seed = 1, .channel = channel});
  };
  CHECK(on(2) == on(2));
  CHECK(on(2) != on(1));
  CHECK(on(0) == transmit({design, state, hardware}, codes_of_words(task, words), {.seed = 1}));
}

// Fails when channels are numbered from the lowest frequency on
TEST_CASE("comb: channels keep their draws in a wider comb, on any number of threads") {
  StudyConfig narrow = study("comb", comb(3, 2e11)), wide = study("comb", comb(7, 2e11));
  narrow.run.threads = 2;
  wide.run.threads = 1;
  const TrialRecord few = trial_of(narrow), many = trial_of(wide);
  for (const std::size_t v : {0u, 1u, 2u})
    for (std::size_t k = 0; k < 3; ++k)
      CHECK(few.of("channel_error_rms", v)[k] == many.of("channel_error_rms", v)[k + 2]);
  wide.run.threads = 3;
  CHECK(trial_of(wide).record == many.record);
}

// Fails when channels are counted that are right beyond a wrong one, only one side is, or the limit is not at
// most
TEST_CASE("comb: channels right are those about the middle without a gap") {
  const std::string chain =
      "[link]\nsignal_full_scale_w = 1e-3\nsigned_levels = true\n[drift]\nimbalance_m = 1e-6\n";
  const auto right = [&](const std::string& of_comb) {
    StudyConfig config = study("comb", of_comb + chain);
    config.network.source = "carry-chain";
    config.task.rounding = Rounding::half_up;
    config.measure.words = 0;
    return trial_of(config);
  };
  const TrialRecord all = right(comb(21, 1e12));
  const std::vector<double> accuracy = all.of("channel_accuracy", 1);
  const auto count = [&](double limit) {
    const auto passes = [&](int k) {
      return k >= 0 && k <= 20 && 1 - accuracy[static_cast<std::size_t>(k)] <= limit + 1e-12;
    };
    int found = passes(10) ? 1 : 0;
    for (int k = 9; passes(k) && found > 0; --k) ++found;
    for (int k = 11; passes(k) && found > 0; ++k) ++found;
    return found;
  };
  CHECK(accuracy[10] == 1.0);
  REQUIRE(accuracy[0] < 1.0);
  CHECK(all.of("channels_right", 1)[0] == count(0.0));
  CHECK(count(0.0) > 1);
  const double least = 1 - *std::ranges::min_element(accuracy);
  const TrialRecord lenient = right(comb(21, 1e12, fmt::format("wrong_limit = {}\n", least)));
  CHECK(lenient.of("channels_right", 1)[0] == 21);
  // a limit that the wrong words of a channel exceed, but not those of the next one out
  const auto gap = std::adjacent_find(accuracy.begin() + 11, accuracy.end(), std::less<>());
  REQUIRE(gap != accuracy.end());
  const double between = 1 - *(gap + 1);
  CHECK(right(comb(21, 1e12, fmt::format("wrong_limit = {}\n", between))).of("channels_right", 1)[0] ==
        count(between));
  const TrialRecord detuned = right(comb(3, 1e11, "[environment]\nwavelength_m = 9e-8\n"));
  CHECK(detuned.of("channels_right", 1)[0] == 0);
}

TEST_CASE("comb: what no comb is, is refused by its key") {
  check_message(complaint("model = 'comb'\n" + comb(0, 1e11)), {"comb.channels", "0"});
  check_message(complaint("model = 'comb'\n" + comb(1003, 1e11)), {"comb.channels", "1003"});
  check_message(complaint("model = 'comb'\n" + comb(8, 1e11)),
                {"comb.channels = 8", "in steps of 2", "Give 7 or 9"});
  check_message(complaint("model = 'comb'\n" + comb(3, 0.0)), {"comb.spacing_hz"});
  check_message(complaint("model = 'comb'\n" + comb(3, -1e11)), {"comb.spacing_hz"});
  check_message(complaint("model = 'comb'\n" + comb(401, 1e11)),
                {"comb.spacing_hz = 100000000000", "401 channels", "nm off"});
  check_message(complaint("model = 'comb'\n" + comb(3, 1e11, "[environment]\nwavelength_m = 9.99e-8\n")),
                {"comb.spacing_hz", "environment.wavelength_m = 9.99e-08"});
  check_message(refusal([] {
                  checked_points(parse("model = 'comb'\n[[sweep]]\nvalues = {'comb.channels' = [3, 6]}\n"));
                }),
                {"comb.channels = 6", "in steps of 2", "Give 5 or 7"});
}

// Fails when channels of a narrower point are not put about the middle one, or carry the frequencies of another
// point
TEST_CASE("comb: channels and spacing can be swept") {
  const std::string sweep =
      "[[sweep]]\nvalues = {'comb.channels' = [3, 5], 'comb.spacing_hz' = [1e11, 2e11]}\n";
  const StudyConfig swept = study("comb", sweep);
  const Networks networks = {{"", random_network(task, {8, 16}), {}}};
  const TrialModel model = comb_model(swept, networks);
  CHECK(model.axis("channel").unit == "1");
  CHECK(std::get<std::vector<std::int64_t>>(model.axis("channel").values) ==
        std::vector<std::int64_t>{-2, -1, 0, 1, 2});
  for (int point = 0; point < 2; ++point) {
    const StudyConfig at_point = config_at(swept, static_cast<std::size_t>(point));
    const TrialRecord all{model, run_trial(model, at_point, {0, 1}).record};
    const StudyConfig alone = study("comb", comb(3 + 2 * point, (1 + point) * 1e11));
    const TrialModel of_one = comb_model(alone, networks);
    CHECK(of_one.axis("channel").unit == "Hz");
    const TrialRecord one{of_one, run_trial(of_one, alone, {0, 1}).record};
    const auto wide = all.of("channel_error_rms", 1), own = one.of("channel_error_rms", 1);
    const std::size_t beside = (wide.size() - own.size()) / 2;
    for (std::size_t k = 0; k < wide.size(); ++k) {
      const bool there = k >= beside && k < beside + own.size();
      CHECK(std::isnan(wide[k]) != there);
      if (there) CHECK(wide[k] == own[k - beside]);
    }
  }
  const StudyConfig counts = study("comb", "[[sweep]]\nvalues = {'comb.channels' = [5, 3]}\n");
  CHECK(std::get<std::vector<double>>(comb_model(counts, networks).axis("channel").values) ==
        std::vector<double>{-2e11, -1e11, 0, 1e11, 2e11});
}
