#include "experiments/run/run_study.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>

#include <omp.h>

#include "experiments/files/hdf5/network_file.hpp"
#include "experiments/files/hdf5/provenance.hpp"
#include "experiments/run/merge_studies.hpp"
#include "experiments/run/output_state.hpp"
#include "experiments/run/replay.hpp"
#include "experiments/run/state.hpp"
#include "experiments/run/study_inputs.hpp"
#include "experiments/run/trials/journal.hpp"
#include "experiments/study/points.hpp"
#include "experiments/study/stored_config.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/configs.hpp"
#include "tests/support/networks.hpp"
#include "tests/support/results.hpp"
#include "tests/support/run_options.hpp"
#include "tests/support/scratch.hpp"

using namespace optinc;
namespace fs = std::filesystem;

namespace {

const std::string sweeps =
    "[[sweep]]\nvalues = {\"chip.sigma_eta_rad\" = [0.01, 0.05]}\n"
    "[[sweep]]\nmethod = 'ablation'\nsources = ['splitters', 'DAC']\n";

/// Twelve points of small meshes.
StudyConfig mesh_study(int trials = 5, int seed = 1, const std::string& runner = {}) {
  return parse("study = 'toy'\nmodel = 'mesh'\n[run]\nseed = " + std::to_string(seed) +
               "\n[runner]\ntrials = " + std::to_string(trials) + "\n" + runner +
               "[chip]\npreset = 'good-lab'\n[mesh]\nports = 4\n[yield]\nmetric = 'fidelity'\nlimit = 0.99\n" +
               sweeps);
}

/// Two points of tiny chips, of a network of no meaning in `folder`.
StudyConfig chip_study(const fs::path& folder) {
  const fs::path path = folder / "network.h5";
  const Task task{2, 1, Rounding::half_even};
  if (!fs::exists(path)) {
    File file = File::create(path);
    write_provenance(file, {}, "a network", "test");
    save_network(file.group("network"), random_network(task, {4}));
    file.close();
  }
  return parse(
      "[parts]\nset = 'idealised'\n[runner]\ntrials = 4\n[measure]\nwords = 20\nonce = "
      "['eye']\n[task]\nservers = 2\nbits = 2\n"
      "[network]\nsource = '" +
      path.string() +
      "'\nhidden = [4]\n"
      "[[sweep]]\nvalues = {\"chip.sigma_eta_rad\" = [0, 0.05]}\n");
}

/// The result file of an undisturbed run.
fs::path whole_run(const Scratch& scratch, const StudyConfig& config, const char* name = "whole.h5") {
  CHECK(run_study(config, to(scratch / name)) == Ending::complete);
  CHECK_FALSE(fs::exists(journal_path(scratch / name)));
  return scratch / name;
}

/// The journal that a run leaves which was killed after the trials that `kept` names.
void killed_run(const fs::path& output, const StudyConfig& config,
                const std::function<bool(std::size_t point, std::size_t trial)>& kept,
                std::string_view heading = "1/1") {
  const StudyInputs inputs = make_study_inputs(config, true);
  const TrialModel model = make_model(config, inputs);
  Journal journal = Journal::create(
      journal_path(output),
      journal_comments("the command line", {std::string(program_revision())}) + identity_toml(config), heading,
      false);
  journal.inputs(study_inputs_bytes(inputs));
  for (std::size_t p = 0; p < point_count(config); ++p)
    for (std::size_t t = 0; t < static_cast<std::size_t>(config.runner.trials); ++t)
      if (kept(p, t)) journal.trial(p, t, run_trial(model, config_at(config, p), {p, t}).record);
}

bool every_third(std::size_t point, std::size_t trial) { return (point + trial) % 3 == 0; }

Ending resume(const fs::path& output, const ResumeChanges& changes = {}) {
  const Ending ending = resume_study(changes, to(output));
  CHECK_FALSE(fs::exists(journal_path(output)));
  return ending;
}

std::int64_t complete(const fs::path& path) { return File::open(path).root().attributes().integer("complete"); }

}  // namespace

TEST_CASE("a study's file says what was run and is the same on any number of threads") {
  const Scratch scratch;
  const int before = omp_get_max_threads();
  StudyConfig config = mesh_study();
  config.run.threads = 1;
  const fs::path one = whole_run(scratch, config, "one.h5");
  config.run.threads = 3;
  const fs::path three = whole_run(scratch, config, "three.h5");
  omp_set_num_threads(before);
  check_same_results(three, one);

  const File file = File::open(one);
  const Group root = file.root();
  CHECK(root.children() == std::vector<std::string>{"ablation", "summary", "trials"});
  CHECK(root.attributes().integer("complete") == 1);
  CHECK(root.attributes().text("model") == "mesh");
  CHECK_FALSE(root.attributes().has("shard"));
  const StudyState state = read_state(one);
  CHECK(state.records->count() == 60);
  const TrialModel model = make_model(config, {});
  for (std::size_t p = 0; p < 12; ++p)
    CHECK(as_bits(run_trial(model, config_at(config, p), {p, 4}).record) ==
          as_bits({state.records->at(p, 4).begin(), state.records->at(p, 4).end()}));
  CHECK(root.read<double>("ablation/share_alone").shape == std::vector<std::size_t>{2, 3, 2});
}

TEST_CASE("a run that was killed resumes to the undisturbed file") {
  const Scratch scratch;
  const StudyConfig config = mesh_study();
  const fs::path whole = whole_run(scratch, config), out = scratch / "out.h5";
  SECTION("in the middle") { killed_run(out, config, every_third); }
  SECTION("before the first trial") {
    killed_run(out, config, [](auto, auto) { return false; });
  }
  SECTION("after the last trial") {
    killed_run(out, config, [](auto, auto) { return true; });
  }
  SECTION("before anything but its configuration") {
    Journal::create(journal_path(out), identity_toml(config), "1/1", false);
  }
  SECTION("while it wrote a trial") {
    killed_run(out, config, every_third);
    fs::resize_file(journal_path(out), fs::file_size(journal_path(out)) - 3);
  }
  CHECK(resume(out) == Ending::complete);
  check_same_results(out, whole);
  // and what is complete stays as it is
  CHECK(resume(out) == Ending::complete);
  check_same_results(out, whole);
}

TEST_CASE("a run with a stop rule that was killed resumes to the undisturbed file") {
  const Scratch scratch;
  const StudyConfig config = mesh_study(120, 1, "precision = 0.12\nprecision_metric = 'mesh_error'\n");
  const fs::path whole = whole_run(scratch, config), out = scratch / "out.h5";
  const StudyState state = read_state(whole);
  CHECK(state.records->count() < 12 * 120);  // or nothing stopped
  CHECK(state.records->count() > 12 * 50);
  killed_run(out, config, [](std::size_t p, std::size_t t) { return t < 50 && p % 2 == 0; });
  CHECK(resume(out) == Ending::complete);
  check_same_results(out, whole);
}

TEST_CASE("a run out of time stores what it has and resumes to the undisturbed file") {
  const Scratch scratch;
  const StudyConfig config = mesh_study();
  const fs::path whole = whole_run(scratch, config), out = scratch / "out.h5";
  StudyConfig hasty = config;
  hasty.run.time_limit_s = 1e-9;
  CHECK(run_study(hasty, to(out)) == Ending::time_limit);
  CHECK(complete(out) == 0);
  CHECK(read_state(out).records->count() < 60);
  CHECK(resume(out, {.trials = {}, .threads = {}, .time_limit_s = 1e-9}) == Ending::time_limit);
  CHECK(complete(out) == 0);
  SECTION("from its file") {}
  SECTION("from its file and the journal of a resume that was killed") { killed_run(out, config, every_third); }
  CHECK(resume(out) == Ending::complete);
  CHECK(complete(out) == 1);
  check_same_results(out, whole);
}

TEST_CASE("resume adds trials as a longer run would have had them") {
  const Scratch scratch;
  const fs::path longer = whole_run(scratch, mesh_study(9), "longer.h5"), out = scratch / "out.h5";
  SECTION("to a complete file") { run_study(mesh_study(4), to(out)); }
  SECTION("to a killed run") { killed_run(out, mesh_study(4), every_third); }
  SECTION("to a killed run without a trial") {
    Journal::create(journal_path(out), identity_toml(mesh_study(4)), "1/1", false);
  }
  SECTION("to a file and the journal of a resume that was to add them") {
    run_study(mesh_study(4), to(out));
    killed_run(out, mesh_study(9), every_third);
  }
  CHECK(resume(out, {.trials = 9, .threads = {}, .time_limit_s = {}}) == Ending::complete);
  check_same_results(out, longer);
  check_message(refusal([&] { resume_study({.trials = 8, .threads = {}, .time_limit_s = {}}, to(out)); }),
                {"--trials 8", "the study's 9"});
}

TEST_CASE("the file that a forced run was to replace is not taken for its results") {
  const Scratch scratch;
  const fs::path out = scratch / "out.h5";
  const StudyConfig config = mesh_study(5, 2);
  const fs::path whole = whole_run(scratch, config);
  SECTION("of another seed") { run_study(mesh_study(5, 1), to(out)); }
  SECTION("of more points and trials") {
    StudyConfig other = mesh_study(9, 1);
    other.sweeps.push_back(parse("model = 'mesh'\n[[sweep]]\nvalues = {\"mesh.ports\" = [2, 3, 4]}").sweeps[0]);
    run_study(other, to(out));
  }
  SECTION("of no study") { put(out, "some text"); }
  killed_run(out, config, every_third, "1/1 forced " + fingerprint(out));
  SECTION("which has changed since") {
    put(out, "my notes");
    check_message(refusal([&] { resume_study({}, to(out)); }), {out.string(), "move it away"});
    CHECK(bytes_of(out) == "my notes");
    fs::remove(out);
  }
  SECTION("which is as it was") {}
  CHECK(resume(out) == Ending::complete);
  check_same_results(out, whole);
}

TEST_CASE("shards merge to the undisturbed file") {
  const Scratch scratch;
  const StudyConfig config = mesh_study();
  const fs::path whole = whole_run(scratch, config);
  std::vector<fs::path> shards;
  for (int s = 1; s <= 3; ++s) {
    shards.push_back(scratch / ("shard" + std::to_string(s) + ".h5"));
    RunOptions options = to(shards.back());
    options.shard = {s, 3};
    CHECK(run_study(config, options) == Ending::complete);
    CHECK(File::open(shards.back()).root().attributes().text("shard") == options.shard.text());
    CHECK(complete(shards.back()) == 0);
    CHECK(read_state(shards.back()).records->count() == 20);
  }
  merge_studies(shards, to(scratch / "merged.h5"));
  check_same_results(scratch / "merged.h5", whole);
  merge_studies({shards[2], shards[0], shards[1], shards[0]}, to(scratch / "again.h5"));
  check_same_results(scratch / "again.h5", whole);

  // what is missing, resume runs
  merge_studies({shards[0], shards[2]}, to(scratch / "part.h5"));
  CHECK(complete(scratch / "part.h5") == 0);
  CHECK(resume(scratch / "part.h5") == Ending::complete);
  check_same_results(scratch / "part.h5", whole);
  // a shard that resumes is still a shard
  CHECK(resume(shards[1]) == Ending::complete);
  CHECK(read_state(shards[1]).records->count() == 20);

  check_message(refusal([&] { merge_studies(shards, to(whole)); }), {whole.string(), "--force"});
}

namespace {

/// The same file as a program of another revision would have signed it, without its seal.
void sign_otherwise(const fs::path& path) {
  std::string bytes = bytes_of(path);
  constexpr std::size_t seal_size = 12;
  bytes.resize(bytes.size() - seal_size);
  const std::string own(program_revision());
  std::string other = own;
  other.front() = own.front() == 'f' ? 'e' : 'f';
  const std::size_t at = bytes.find(own);
  REQUIRE(at != bytes.npos);
  std::ofstream(path, std::ios::binary) << bytes.replace(at, own.size(), other);
}

}  // namespace

// mutations: add_revision is left out of resume or merge; write_results forgets those of the state
TEST_CASE("trials of programs of several revisions are mixed where asked, and the file names all") {
  const Scratch scratch;
  const StudyConfig config = mesh_study(4);
  for (int s = 1; s <= 2; ++s) {
    RunOptions options = to(scratch / ("shard" + std::to_string(s) + ".h5"));
    options.shard = {s, 2};
    run_study(config, options);
  }
  sign_otherwise(scratch / "shard1.h5");
  const std::vector<fs::path> shards = {scratch / "shard1.h5", scratch / "shard2.h5"};
  check_message(refusal([&] { merge_studies(shards, to(scratch / "m.h5")); }),
                {"shard1.h5", std::string(program_revision()), "--mixed-revisions"});
  RunOptions mixed = to(scratch / "m.h5");
  mixed.mixed_revisions = true;
  merge_studies(shards, mixed);
  const auto revisions = [&] { return File::open(scratch / "m.h5").root().attributes().text("git_revisions"); };
  CHECK(revisions().find(program_revision()) != std::string::npos);
  CHECK(revisions().find(", ") != std::string::npos);
  // they stay with the file
  check_message(refusal([&] { resume_study({5, {}, {}}, to(scratch / "m.h5")); }), {"--mixed-revisions"});
  CHECK(resume_study({5, {}, {}}, mixed) == Ending::complete);
  CHECK(revisions().find(", ") != std::string::npos);
  CHECK_FALSE(File::open(shards[1]).root().attributes().has("git_revisions"));
}

TEST_CASE("files of different studies are not merged") {
  const Scratch scratch;
  const fs::path whole = whole_run(scratch, mesh_study(2), "a.h5");
  const auto refused = [&](const StudyConfig& other) {
    RunOptions options = to(scratch / "b.h5");
    options.force = true;
    run_study(other, options);
    return refusal([&] { merge_studies({whole, scratch / "b.h5"}, to(scratch / "m.h5")); });
  };
  check_message(refused(mesh_study(2, 7)),
                {"b.h5: another study than", "a.h5", "run.seed = 7 here and 1 there"});
  check_message(refused(mesh_study(3)), {"runner.trials = 3 here and 2 there"});
  StudyConfig other = mesh_study(2);
  other.sweeps[0].keys[0].values[1] = 0.04;
  check_message(refused(other), {"[[sweep]] sigma_eta_rad has other points"});
  other.sweeps.erase(other.sweeps.begin());
  CHECK_FALSE(refused(other).empty());
  other = mesh_study(2);
  other.sweeps.pop_back();
  check_message(refused(other), {"1 sweeps here and 2 there"});
  other = mesh_study(2);
  other.run.threads = 1;
  const int before = omp_get_max_threads();
  CHECK(refused(other).empty());  // how to run makes no other study
  omp_set_num_threads(before);
}

TEST_CASE("a trial replays alone, bit for bit") {
  const Scratch scratch;
  const StudyConfig config = mesh_study();
  const fs::path whole = whole_run(scratch, config);
  for (const auto& [point, trial] : {std::pair<std::size_t, std::size_t>{0, 0}, {9, 4}}) {
    const fs::path out = scratch / ("trial" + std::to_string(point) + ".h5");
    const ReplayReport report = replay_trial(whole, point, trial, to(out));
    CHECK(report.recorded);
    CHECK(report.differing == 0);
    CHECK(report.cells == 21);
    CHECK(report.point == point_label(config, point));
    const File file = File::open(out);
    const Group root = file.root();
    CHECK(root.attributes().integer("trial") == static_cast<std::int64_t>(trial));
    const StudyState state = read_state(whole);
    const auto stored = state.records->at(point, trial);
    const TrialModel model = make_model(config, {});
    for (const Quantity& q : model.quantities)
      CHECK(as_bits(root.read<double>("record/" + std::string(q.metric->name), {3})) ==
            as_bits({stored.begin() + static_cast<std::ptrdiff_t>(q.offset),
                     stored.begin() + static_cast<std::ptrdiff_t>(q.offset + 3)}));
  }
  check_message(refusal([&] { replay_trial(whole, 12, 0, to(scratch / "x.h5")); }),
                {"--point 12", "12 points", "0..11"});
  check_message(refusal([&] { replay_trial(whole, 0, 5, to(scratch / "x.h5")); }),
                {"--trial 5", "5 trials", "0..4"});
  check_message(refusal([&] { replay_trial(whole, 0, 0, to(whole)); }), {"--force"});

  // a trial that was not run
  RunOptions shard = to(scratch / "shard.h5");
  shard.shard = {2, 2};
  run_study(config, shard);
  const ReplayReport missing = replay_trial(shard.output, 0, 0, to(scratch / "missing.h5"));
  CHECK_FALSE(missing.recorded);
  CHECK(missing.differing == 21);
}

TEST_CASE("a study of chips runs, resumes, merges and replays") {
  const Scratch scratch;
  const StudyConfig config = chip_study(scratch.path());
  const fs::path whole = whole_run(scratch, config), out = scratch / "out.h5";
  CHECK(File::open(whole).root().children() ==
        std::vector<std::string>{"eye", "network", "onn", "summary", "trials"});
  CHECK(File::open(whole).root().open("onn").attributes().number("ideal_chip_deviation") < 1e-9);
  killed_run(out, config, every_third);
  CHECK(resume(out) == Ending::complete);
  check_same_results(out, whole);
  for (int s = 1; s <= 2; ++s) {
    RunOptions options = to(scratch / ("shard" + std::to_string(s) + ".h5"));
    options.shard = {s, 2};
    run_study(config, options);
  }
  merge_studies({scratch / "shard1.h5", scratch / "shard2.h5"}, to(scratch / "merged.h5"));
  check_same_results(scratch / "merged.h5", whole);
  const ReplayReport report = replay_trial(whole, 1, 0, to(scratch / "trial.h5"));
  CHECK(report.recorded);
  CHECK(report.differing == 0);
  const File file = File::open(scratch / "trial.h5");
  const Group trial = file.root();
  const auto wanted = trial.read<std::int64_t>("noisy/words/wanted", {20}),
             decoded = trial.read<std::int64_t>("noisy/words/decoded", {20});
  double right = 0;
  for (std::size_t i = 0; i < 20; ++i) right += wanted[i] == decoded[i] ? 1 : 0;
  CHECK(trial.read<double>("record/word_accuracy", {3})[2] == Approx(right / 20).epsilon(1e-14));
}

TEST_CASE("nothing is overwritten or begun where it cannot end well") {
  const Scratch scratch;
  const StudyConfig config = mesh_study(2);
  const fs::path out = scratch / "out.h5";
  check_message(refusal([&] { resume_study({}, to(out)); }), {out.string(), "nothing to resume", "optinc run"});
  put(out, "old");
  check_message(refusal([&] { run_study(config, to(out)); }), {out.string(), "--force"});
  CHECK(bytes_of(out) == "old");
  CHECK_FALSE(fs::exists(journal_path(out)));
  fs::remove(out);
  killed_run(out, config, every_third);
  const std::string before = bytes_of(journal_path(out));
  check_message(refusal([&] { run_study(config, to(out)); }), {"was not finished", "optinc resume"});
  CHECK(bytes_of(journal_path(out)) == before);
  RunOptions forced = to(out);
  forced.force = true;
  CHECK(run_study(mesh_study(2, 3), forced) == Ending::complete);
  CHECK(read_state(out).config.run.seed == 3);

  // a point that its section does not allow, seen before the first trial
  StudyConfig wrong = config;
  wrong.sweeps.push_back({"preset", {{"chip.preset", {std::string("custom")}}}, {}});
  CHECK_FALSE(refusal([&] { run_study(wrong, to(scratch / "w.h5")); }).empty());
  CHECK_FALSE(fs::exists(journal_path(scratch / "w.h5")));
}

TEST_CASE("a journal whose trials are not its study's is refused") {
  const Scratch scratch;
  const StudyConfig config = mesh_study(2);
  const fs::path out = scratch / "out.h5";
  const auto refused = [&](std::size_t point, std::size_t trial, std::size_t size) {
    killed_run(out, config, every_third);
    Journal::reopen(journal_path(out), {}).trial(point, trial, std::vector<double>(size, 0.0));
    const std::string message = refusal([&] { resume_study({}, to(out)); });
    fs::remove(journal_path(out));
    return message;
  };
  check_message(refused(12, 0, 15), {"out.h5.journal", "trial 0 of point 12", "Move it away"});
  check_message(refused(0, 2, 15), {"trial 2 of point 0"});
  check_message(refused(0, 1, 14), {"trial 1 of point 0"});
}

// A trial of a chip says how many layers its network has; fails where records are sized without it. Mutation:
// require_own_trials() is left out
TEST_CASE("networks that are damaged in a journal are read again, and cost no trial that they gave") {
  const Scratch scratch;
  const StudyConfig config = chip_study(scratch.path());
  const fs::path whole = whole_run(scratch, config), out = scratch / "out.h5", path = journal_path(out);
  killed_run(out, config, every_third);
  std::string bytes = bytes_of(path);
  const std::string inputs = "\x89HDF";
  const std::size_t at = bytes.find(inputs);
  REQUIRE(at != bytes.npos);
  bytes[at + 500] ^= 4;
  put(path, bytes);
  const std::size_t found = reopen_journal(path).state.records->count();
  CHECK(found == 3);  // of eight
  SECTION("the same file") {
    check_message(refusal([&] { resume_study({.trials = 9, .threads = {}, .time_limit_s = {}}, to(out)); }),
                  {path.string(), "damaged", "without --trials"});
    CHECK(bytes_of(path) == bytes);
    CHECK(resume(out) == Ending::complete);
    check_same_results(out, whole);
  }
  SECTION("another file by now") {
    fs::remove(scratch / "network.h5");
    File file = File::create(scratch / "network.h5");
    write_provenance(file, {}, "another network", "test");
    save_network(file.group("network"), random_network(Task{2, 1, Rounding::half_even}, {4}, 77));
    file.close();
    check_message(refusal([&] { resume_study({}, to(out)); }),
                  {path.string(), "trial 0 of point 0", "Put those back"});
    CHECK(reopen_journal(path).state.records->count() == found);
    CHECK_FALSE(fs::exists(out));
  }
}
