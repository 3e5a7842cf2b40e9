#include "experiments/run/run_training.hpp"

#include <filesystem>

#include "experiments/files/hdf5/hdf5.hpp"
#include "experiments/files/hdf5/provenance.hpp"
#include "experiments/run/output_state.hpp"
#include "experiments/run/run_study.hpp"
#include "experiments/run/training_checkpoint.hpp"
#include "experiments/run/trials/journal.hpp"
#include "onn/training/trainer.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/configs.hpp"
#include "tests/support/files.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/results.hpp"
#include "tests/support/run_options.hpp"
#include "tests/support/scratch.hpp"

using namespace optinc;
namespace fs = std::filesystem;

namespace {

struct TrainingKilled {};

StudyConfig training(int seed = 3) {
  return parse("[run]\nseed = " + std::to_string(seed) +
               "\n[task]\nservers = 4\nbits = 4\n[network]\nhidden = [8]\n[training]\nepochs = 3\nbatch = 16\n"
               "warmup_epochs = 1\n[runner]\ntrials = 2\n[measure]\nwords = 20\nonce = []\n");
}

/// What a killed optinc train leaves of its first steps.
void killed_training(const fs::path& output, const StudyConfig& config, TrainingOrigin origin = {}) {
  if (origin.revisions.empty()) origin.revisions = {std::string(program_revision())};
  TrainingKeeper keeper(config, checkpoint_path(output), origin);
  Checkpointing keeping = keeper.keeping({});
  keeping.after_step = [keep = keeping.after_step](const std::function<TrainingState()>& state) {
    keep(state);
    throw TrainingKilled{};
  };
  CHECK_THROWS_AS(
      train(config.task, config.network.hidden, config.training, {config.run.seed, 1, {}, &keeping}),
      TrainingKilled);
}

fs::path whole_training(const Scratch& scratch, const StudyConfig& config) {
  CHECK(run_training(config, to(scratch / "whole.h5")) == Ending::complete);
  return scratch / "whole.h5";
}

bool keeps_training(const fs::path& output) { return fs::exists(checkpoint_path(output)); }

}  // namespace

TEST_CASE("an output's state is told from what lies there") {
  const Scratch scratch;
  const fs::path out = scratch / "out.h5";
  const auto state = [&] { return output_state(out); };
  CHECK(state().file == AtOutput::nothing);
  CHECK(state().journal == Beside::nothing);
  CHECK(state().training == Beside::nothing);
  put(out, "notes");
  put(journal_path(out), "a diary");
  put(checkpoint_path(out), "a diary");
  CHECK(state().file == AtOutput::other);
  CHECK(state().journal == Beside::other);
  CHECK(state().training == Beside::other);
  for (const fs::path& path : {out, journal_path(out), checkpoint_path(out)}) fs::remove(path);
  Journal::create(journal_path(out), "a", "1/1", false);
  killed_training(out, training());
  CHECK(state().journal == Beside::ours);
  CHECK(state().training == Beside::ours);
  fs::remove(journal_path(out));
  fs::remove(checkpoint_path(out));
  run_training(training(), to(out));
  CHECK(state().file == AtOutput::network);
  fs::remove(out);
  run_study(training(), to(out));
  CHECK(state().file == AtOutput::trials);
  std::string damaged = bytes_of(out);
  damaged[damaged.size() / 2] ^= 1;
  put(out, damaged);
  CHECK(state().file == AtOutput::other);
  fs::remove(out);
  fs::create_symlink(out.filename(), out);
  check_message(refusal([&] { resume_study({}, to(out)); }),
                {out.string(), "cannot be looked at (", "symbolic links"});
  check_message(refusal([&] { resume_study({}, to(scratch / std::string(300, 'n'))); }),
                {"cannot be looked at (", "File name too long"});
}

// Fails where a training goes before results: resume then leaves the bare network
TEST_CASE("results are never given up for a training that lies beside them") {
  const Scratch scratch;
  const fs::path out = scratch / "out.h5";
  const StudyConfig config = training();
  run_study(config, to(scratch / "whole.h5"));
  SECTION("the study's own, which is no longer needed") {
    fs::copy(scratch / "whole.h5", out);
    killed_training(out, config);
    CHECK(resume_study({}, to(out)) == Ending::complete);
    check_same_results(out, scratch / "whole.h5");
    CHECK_FALSE(keeps_training(out));
  }
  SECTION("another one, which stays") {
    fs::copy(scratch / "whole.h5", out);
    killed_training(out, training(4));
    const std::string before = bytes_of(checkpoint_path(out));
    CHECK(resume_study({}, to(out)) == Ending::complete);
    check_same_results(out, scratch / "whole.h5");
    CHECK(bytes_of(checkpoint_path(out)) == before);
  }
}

// Fails where a resumed training replaces whatever is at its output
TEST_CASE("a training that is resumed replaces nothing but what it was told to") {
  const Scratch scratch;
  const fs::path out = scratch / "out.h5";
  const StudyConfig config = training();
  const fs::path whole = whole_training(scratch, config);
  std::string there = "notes";
  TrainingOrigin origin;
  SECTION("notes") {}
  SECTION("results") {  // which resume goes on with, not with the training
    run_study(training(7), to(scratch / "study.h5"));
    there = bytes_of(scratch / "study.h5");
    put(out, there);
    killed_training(out, config);
    CHECK(resume_study({}, to(out)) == Ending::complete);
    check_same_results(out, scratch / "study.h5");
    CHECK(keeps_training(out));
    return;
  }
  SECTION("another network than the one that --force gave up") {
    put(out, "an old network");
    origin.replaces = fingerprint(out);
  }
  put(out, there);
  killed_training(out, config, origin);
  const std::string kept = bytes_of(checkpoint_path(out));
  check_message(refusal([&] { resume_study({}, to(out)); }), {out.string(), "Move it away", "optinc resume"});
  CHECK(bytes_of(out) == there);
  CHECK(bytes_of(checkpoint_path(out)) == kept);
  if (origin.replaces.empty())
    fs::remove(out);
  else
    put(out, "an old network");
  CHECK(resume_study({}, to(out)) == Ending::complete);
  check_same_results(out, whole);
  CHECK_FALSE(keeps_training(out));
}

TEST_CASE("a training that is finished has nothing to resume") {
  const Scratch scratch;
  const StudyConfig config = training();
  const fs::path out = whole_training(scratch, config);
  const std::string before = bytes_of(out);
  CHECK(resume_study({}, to(out)) == Ending::complete);
  killed_training(out, config);  // as one that died before it could remove this
  CHECK(resume_study({}, to(out)) == Ending::complete);
  CHECK(bytes_of(out) == before);
  CHECK_FALSE(keeps_training(out));
  check_message(refusal([&] { resume_study({.trials = 4, .threads = {}, .time_limit_s = {}}, to(out)); }),
                {out.string(), "--trials", "has no trials"});
}

// mutations: resume_training does not ask; it does not write the others' revisions down
TEST_CASE("a training of programs of several revisions goes on where asked, and its file names all") {
  const Scratch scratch;
  const fs::path out = scratch / "out.h5";
  killed_training(out, training(), {"optinc train", {"0123456789ab"}, {}});
  const std::string kept = bytes_of(checkpoint_path(out));
  check_message(
      refusal([&] { resume_study({}, to(out)); }),
      {".training", "a training of programs of other revisions", "0123456789ab", "--mixed-revisions"});
  CHECK(bytes_of(checkpoint_path(out)) == kept);
  RunOptions mixed = to(out);
  mixed.mixed_revisions = true;
  CHECK(resume_study({}, mixed) == Ending::complete);
  const std::string named = File::open(out).root().attributes().text("git_revisions");
  CHECK(named.find("0123456789ab") != named.npos);
  CHECK(named.find(program_revision()) != named.npos);
  const fs::path whole = whole_training(scratch, training());
  CHECK_FALSE(File::open(whole).root().attributes().has("git_revisions"));
}
