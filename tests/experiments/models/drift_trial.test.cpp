#include <algorithm>
#include <cmath>
#include <numeric>

#include "experiments/models/chip_trial.hpp"
#include "experiments/models/trial_model.hpp"
#include "experiments/run/trials/run_trials.hpp"
#include "onn/network/digit_sums.hpp"
#include "onn/task/words.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/configs.hpp"
#include "tests/support/networks.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/trial_record.hpp"

using namespace optinc;

namespace {

Networks only(const Network& network) { return {{"", network, {}}}; }

const Task task{2, 2, Rounding::half_even};

StudyConfig drift_study(const std::string& more = {}) {
  return parse(
      "model = 'drift'\n[run]\nseed = 5\n[task]\nservers = 2\nbits = 4\n[network]\nhidden = [8, "
      "16]\n[measure]\n"
      "words = 20\n[drift]\ninstants = 9\ninterval_s = 10\nrecalibrate_s = 30\n" +
      more);
}

/// Variants: 0 drifting, 1 recalibrated.
TrialRecord drifted(const StudyConfig& config) {
  Network network = random_network(task, {8, 16});
  network.layers.back().bias.setConstant(1.5);  // outputs about the middle of the digits: codes that answer
  const TrialModel model = drift_model(config, only(network));
  return {model, run_trial(model, config, {0, 1}).record};
}

}  // namespace

// Fails when a calibration is missed, when it leaves the phases where they were, or when instants share draws
TEST_CASE("drift: a calibration takes the change of the phases away, and only then") {
  const TrialRecord d = drifted(drift_study("imbalance_m = 1e-4\n"));
  const auto drifting = d.of("phase_drift", 0), again = d.of("phase_drift", 1);
  REQUIRE(drifting.size() == 9);
  for (std::size_t k = 0; k < 9; ++k) {
    CAPTURE(k);
    CHECK((drifting[k] == 0.0) == (k == 0));
    CHECK((again[k] == 0.0) == (k % 3 == 0));  // due at 0, 30 and 60 s
    if (k < 3) CHECK(again[k] == drifting[k]);
  }
  CHECK(d.of("die_temperature", 0) == d.of("die_temperature", 1));
  CHECK(d.of("heater_power", 0)[0] > 0.0);
  CHECK(d.of("accuracy_all_words", 0).size() == 2);
}

// Fails when a change acts where none was asked for, or a perfect chip drifts by its own calibrations
TEST_CASE("drift: a perfect chip in a steady world stays as it is") {
  const TrialRecord d = drifted(drift_study(
      "sine_k = 0\nou_k = 0\nlaser_m = 0\nwarm_up_s = 1e6\n[chip]\npreset = 'ideal'\n[noise]\nshot = "
      "false\ntia = false\nrin = false\nlock = false\nconverter = false\n"));
  for (const std::size_t variant : {0u, 1u}) {
    for (const double change : d.of("phase_drift", variant)) CHECK(change < 1e-12);
    const auto all = d.of("accuracy_all_words", variant);
    CHECK(all[0] == all[1]);
  }
}

// Fails when instants draw from a stream that threads share
TEST_CASE("drift: the same numbers on one and two threads") {
  StudyConfig config = drift_study("[chip]\npreset = 'doped-heaters'\n");
  config.run.threads = 1;
  const auto one = drifted(config).record;
  config.run.threads = 2;
  CHECK(drifted(config).record == one);
}

// The 20 words of every instant are others, so what tells is the worst code over an hour of the same ideal
// chip: without noise no instant errs more than the first. Fails when one draw of phase noise lasts for all
// instants
TEST_CASE("drift: phase noise is another at every instant, alike in both variants") {
  const std::string quiet =
      "sine_k = 0\nou_k = 0\nlaser_m = 0\nwarm_up_s = 1e6\ninstants = 40\n[noise]\nshot = false\ntia = "
      "false\nrin = false\nlock = false\nconverter = false\n[chip]\npreset = 'ideal'\nsigma_phase_rad = ";
  StudyConfig config = parse(
      "model = 'drift'\n[run]\nseed = 5\n[task]\nservers = 2\nbits = 4\n[network]\nhidden = [8, "
      "16]\n[measure]\nwords = 2000\n[drift]\ninterval_s = 10\nrecalibrate_s = 30\n" +
      quiet + "0.3\n");
  const auto errors = drifted(config).of("instant_error_rms", 0);
  const auto [least, most] = std::minmax_element(errors.begin(), errors.end());
  CHECK(*most > 1.05 * *least);                                 // 2,000 of 49 words: of one draw 1 % apart
  CHECK(drifted(config).of("instant_error_rms", 1) == errors);  // nothing else changes: calibration finds none
  config.chip.sigma_phase_rad = 0.0;
  const auto still = drifted(config).of("instant_error_rms", 0);
  const auto [low, high] = std::minmax_element(still.begin(), still.end());
  CHECK((*most - *least) > 2 * (*high - *low));
}

// Sums whose oscillators bypass them, on a die that swings: no lock follows. Fails when failed checks do not
// calibrate the next instant, or anything else does; when a calibration leaves the oscillators behind; or when
// checks are made of the right answers
TEST_CASE("drift: failed checks say when to calibrate") {
  const std::string sums =
      "model = 'drift'\n[run]\nseed = 5\n[task]\nservers = 4\nrounding = 'half-even'\n[network]\nsource = "
      "'digit-sums'\n[parts]\nset = 'idealised'\n[chip]\npreset = 'ideal'\n[measure]\nwords = 2000\nvariants = "
      "['drifting', 'checked']\n[drift]\ninstants = 31\ninterval_s = 30\nsine_k = 1\ncontrolled = "
      "0.95\nlaser_m = 0\n[converter]\nbits = 10\neffective_bits = 6.4\n[link]\noscillators = "
      "'direct'\n";
  const StudyConfig config = parse(sums + "check_block = 64\n");
  const auto live = [](const StudyConfig& of) {
    const TrialModel model = drift_model(of, only(digit_sums(of.task)));
    return TrialRecord{model, run_trial(model, of, {0, 1}).record};
  };
  const auto found = live(config);
  const auto failed = found.of("failed_checks", 1), since = found.of("since_calibration", 1);
  int calibrations = 0;
  for (std::size_t k = 1; k < failed.size(); ++k) {
    CAPTURE(k, failed[k - 1], since[k]);
    CHECK((since[k] == 0.0) == (failed[k - 1] > config.drift.failed_share));
    calibrations += since[k] == 0.0;
  }
  CHECK(calibrations > 0);
  CHECK(calibrations < 25);
  const auto mean = [](const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  };
  CHECK(mean(found.of("instant_accuracy", 1)) > mean(found.of("instant_accuracy", 0)));
  check_message(refusal([&] { live(parse(sums)); }), {"checked", "link.check_block"});
}

// Without noise a sum s of a lane becomes s 10^(dB/20), decided as the nearest level. Fails when light
// drifts as power, gains follow it between calibrations or not at them, or a server's drift is its own
TEST_CASE("drift: sums are decided by the gains of the last calibration while the servers' light drifts") {
  const StudyConfig config = parse(
      "model = 'drift'\n[run]\nseed = 5\n[task]\nservers = 8\nrounding = 'half-even'\n[network]\nsource = "
      "'digit-sums'\n[parts]\nset = 'idealised'\n[chip]\npreset = 'ideal'\n[measure]\nwords = 2000\nvariants = "
      "['recalibrated']\n[noise]\nshot = false\ntia = false\nrin = false\nlock = false\nconverter = false\n"
      "[drift]\ninstants = 21\ninterval_s = 30\nrecalibrate_s = 180\nsine_k = 0\nou_k = 0\nlaser_m = "
      "0\nlight_db = 1\nlight_time_s = 600\n");
  const TrialModel model = drift_model(config, only(digit_sums(config.task)));
  const TrialRecord found{model, run_trial(model, config, {0, 1}).record};
  const auto light_db = found.of("light_drift", 0), accuracy = found.of("instant_accuracy", 0),
             since_s = found.of("since_calibration", 0);
  double least = 1.0;
  for (std::size_t k = 0; k < accuracy.size(); ++k) {
    const auto calibrated = k - static_cast<std::size_t>(since_s[k] / 30);
    const double gain = std::pow(10.0, (light_db[k] - light_db[calibrated]) / 20);
    const Codes codes = codes_of_words(config.task, drawn_words(config, 1, static_cast<std::uint32_t>(k)));
    Eigen::Index right = 0;
    for (Eigen::Index w = 0; w < codes.rows(); ++w) {
      std::vector<int> sums, decided;
      for (int lane = 0; lane < config.task.digits; ++lane) {
        int sum = 0;
        for (Eigen::Index n = 0; n < codes.cols(); ++n)
          sum += static_cast<int>(symbol_of(config.task, codes(w, n), lane));
        sums.push_back(sum);
        decided.push_back(std::min(static_cast<int>(std::lround(sum * gain)), config.task.sums() - 1));
      }
      right += exact_answer(config.task, code_total(decided)) == exact_answer(config.task, code_total(sums));
    }
    CAPTURE(k, gain);
    CHECK(accuracy[k] == static_cast<double>(right) / static_cast<double>(codes.rows()));
    least = std::min(least, accuracy[k]);
  }
  CHECK(least < 0.9);  // so that it is seen
}

// Fails when re-calibration ignores the policy, or forgets the heat that the new program spreads
TEST_CASE("drift: every calibration follows the policy and the heat of its program") {
  const auto steady = [](const std::string& more) {
    return drifted(
        drift_study("sine_k = 0\nou_k = 0\nlaser_m = 0\nwarm_up_s = 1e6\n[noise]\nshot = false\ntia = "
                    "false\nrin = false\nlock = false\nconverter = false\n[chip]\npreset = 'ideal'\n" +
                    more));
  };
  // an uncalibrated chip is never calibrated
  const TrialRecord none = steady("[calibration]\npolicy = 'none'\n");
  CHECK(none.of("instant_error_rms", 0) == none.of("instant_error_rms", 1));
  // heat that nobody knows of stays what it was when the same program is set again
  const TrialRecord warm = steady("[crosstalk]\nx0 = 0.05\n"), cold = steady("");
  CHECK(warm.of("instant_error_rms", 0) == warm.of("instant_error_rms", 1));
  CHECK(warm.of("instant_error_rms", 1) != cold.of("instant_error_rms", 1));
  // a residual of its own after every calibration
  const TrialRecord noisy = steady("sigma_cal_rad = 0.3\n");
  CHECK(noisy.of("accuracy_all_words", 0)[0] == noisy.of("accuracy_all_words", 0)[1]);
  CHECK(noisy.of("instant_error_rms", 0) != noisy.of("instant_error_rms", 1));
  const TrialRecord oracle = steady("sigma_cal_rad = 0.3\n[calibration]\npolicy = 'oracle'\n");
  CHECK(oracle.of("instant_error_rms", 0) == oracle.of("instant_error_rms", 1));
}

// Fails when the lag is the change since the last instant, or a calibration does not set oscillators anew
TEST_CASE("drift: oscillators past the meshes drift with the die until they are set again, or are locked") {
  const auto phases = [](const std::string& link, std::size_t variant) {
    return drifted(drift_study("ou_k = 0\nlaser_m = 0\n[link]\n" + link)).of("oscillator_phase", variant);
  };
  const auto die_k = drifted(drift_study("ou_k = 0\nlaser_m = 0\n")).of("die_temperature", 0);
  const auto free = phases("oscillators = 'direct'\n", 0), again = phases("oscillators = 'direct'\n", 1),
             locked = phases("oscillators = 'direct'\noscillator_loop_hz = 10\n", 0);
  REQUIRE(free.size() == 9);
  for (std::size_t k = 0; k < 9; ++k) {
    CAPTURE(k);
    CHECK((free[k] == 0.0) == (k == 0));
    CHECK((again[k] == 0.0) == (k % 3 == 0));
    CHECK(locked[k] <= 0.01 * free[k]);
    CHECK(free[k] * std::abs(die_k[1] - die_k[0]) == Approx(free[1] * std::abs(die_k[k] - die_k[0])));
  }
  for (const double phase : phases("oscillators = 'beside-signal'\n", 0)) CHECK(phase == 0.0);
}

TEST_CASE("drift: surroundings of another kind of study are refused") {
  check_message(refusal([] { validate_config(drift_study("[environment]\ntemperature_k = 2\n")); }),
                {"environment", "temperature_k = 2", "drift.sine_k"});
}
