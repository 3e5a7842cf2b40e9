#include "experiments/models/trial_model.hpp"
#include "experiments/run/study_inputs.hpp"
#include "experiments/run/trials/run_trials.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/configs.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

StudyConfig cascade_study(const std::string& more = {}) {
  return parse(
      "model = 'cascade'\n[parts]\nset = 'idealised'\n[run]\nseed = 5\n[task]\nrounding = "
      "'half-up'\n[network]\nsource = 'carry-chain'\n"
      "[measure]\nwords = 3000\n" +
      more);
}

struct Found {
  double cascade, first, second, rms;
};

std::vector<Found> found(const StudyConfig& config, std::size_t trial) {
  const TrialModel model = make_model(config, make_study_inputs(config, true));
  const auto record = run_trial(model, config, {0, trial}).record;
  std::vector<Found> all;
  for (std::size_t v = 0; v < measured_variants(config).size(); ++v) {
    const auto of = [&](std::string_view name) { return record[model.find(name)->offset + v]; };
    all.push_back({of("cascade_accuracy"), of("first_level_accuracy"), of("second_level_accuracy"),
                   of("cascade_error_rms")});
  }
  return all;
}

}  // namespace

// mutation: the residual digit is dropped, units share a chip's servers, or the levels' networks are swapped
TEST_CASE("a cascade of five good chips is the flat average of sixteen servers") {
  for (const Found& f : found(cascade_study("[chip]\npreset = 'ideal'\n[noise]\nshot = false\ntia = false\n"
                                            "rin = false\nlock = false\n"),
                              0)) {
    CHECK(f.cascade == 1.0);
    CHECK(f.first == 1.0);
    CHECK(f.second == 1.0);
    CHECK(f.rms == 0.0);
  }
}

// mutation: the sums of eight codes go on with one digit more, as those of four
TEST_CASE("a cascade of digit sums serves the square of more servers than four") {
  const StudyConfig config = parse(
      "model = 'cascade'\n[parts]\nset = 'idealised'\n[task]\nservers = 8\n[network]\nsource = 'digit-sums'\n"
      "[link]\ndestinations = 1\n[measure]\nwords = 3000\n[chip]\npreset = 'ideal'\n[noise]\nshot = false\n"
      "tia = false\nrin = false\nlock = false\nconverter = false\n");
  for (const Found& f : found(config, 0)) {
    CHECK(f.cascade == 1.0);
    CHECK(f.first == 1.0);
  }
}

// mutation: all units are the same chip; the second level is judged on what it should have been sent
TEST_CASE("a cascade of bad chips errs at both levels, each judged on what it was sent") {
  const StudyConfig config =
      cascade_study("variants = ['uncorrected']\n[chip]\npreset = 'doped-heaters'\nsigma_cal_rad = 0.3\n");
  const Found f = found(config, 1).front();
  CHECK(f.first < 0.9);
  CHECK(f.second < 0.9);
  CHECK(f.cascade < 0.9);
  CHECK(f.rms > 0.0);
  CHECK(f.cascade > 0.0);
  CHECK(found(config, 1).front().cascade == f.cascade);
  CHECK(found(config, 2).front().cascade != f.cascade);
}

TEST_CASE("a cascade is of flat units of at most four servers, and its words are drawn") {
  check_message(complaint("model = 'cascade'\n[task]\nservers = 8\n[network]\nsource = 'carry-chain'\n"),
                {"task.level", "servers = 8"});
  check_message(complaint("model = 'cascade'\n[task]\nlevel = 'first'\n"), {"level = \"first\""});
  check_message(complaint("model = 'cascade'\n[network]\nsource = 'carry-chain'\n[measure]\nwords = 0\n"),
                {"measure.words"});
}
