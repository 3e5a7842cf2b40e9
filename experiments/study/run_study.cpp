#include "experiments/study/run_study.hpp"

#include <cstdio>
#include <memory>

#include <fmt/format.h>
#include <omp.h>

#include "experiments/config/points.hpp"
#include "experiments/config/study_warnings.hpp"
#include "experiments/models/learner_keeping.hpp"
#include "experiments/process/interrupt.hpp"
#include "experiments/runner/memory.hpp"
#include "experiments/store/atomic_file.hpp"
#include "experiments/store/provenance.hpp"
#include "experiments/study/once.hpp"
#include "experiments/study/state.hpp"
#include "experiments/study/training_checkpoint.hpp"
#include "experiments/study/trial_groups.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

namespace fs = std::filesystem;

void use_threads(const StudyConfig& config) {
  if (config.run.threads > 0) omp_set_num_threads(config.run.threads);
}

void say(bool quiet, const std::string& text) {
  if (!quiet) std::fputs((text + "\n").c_str(), stderr);
}

/// The result file, for whoever holds its place; `once` is null where the study is not complete.
void write_results(const StudyState& state, const TrialModel& model, const OnceResults* once,
                   const RunOptions& options) {
  remove_leftovers(options.output);
  AtomicFile out(options.output, true);  // asked before the long work; the journal holds the place
  const Group root = out.file().root();
  write_provenance(out.file(), state.config, fmt::format("OptINC study: {}", state.config.study),
                   options.command);
  write_warnings(out.file(), study_warnings(state.config));
  root.attributes().set("model", std::string_view(state.config.model));
  root.attributes().set("complete", std::int64_t{once != nullptr ? 1 : 0});
  if (!state.shard.whole()) root.attributes().set("shard", std::string_view(state.shard.text()));
  write_prelude(root, *state.prelude);
  write_network_summaries(root, state.config, *state.prelude);
  if (once != nullptr) write_once(root, state.config, *state.prelude, *once);
  write_trials_group(root.group("trials"), state.config, model, *state.records);
  write_summary_group(root.group("summary"), state.config, model, *state.records);
  if (has_ablation(state.config))
    write_ablation_group(root.group("ablation"), state.config, model, *state.records);
  out.commit();
}

/// What the runner and the store cost: the time of all workers outside trials, over their time in trials.
void tell(const TrialsReport& report, int workers, double store_seconds, bool quiet) {
  if (report.run == 0) return;
  const double wall = report.wall_seconds + store_seconds;
  say(quiet,
      fmt::format(
          "timing: {} trials in {:.3f} s, {:.1f}/s on {}; {:.3f} s to store; overhead {:.2f} % of the time "
          "in trials",
          report.run, wall, static_cast<double>(report.run) / wall, workers, store_seconds,
          100 * (wall * workers - report.trial_seconds) / report.trial_seconds));
}

/// Commands that made a file, one behind the other as a shell takes them; one that is repeated is told once.
std::string joined(const std::string& before, std::string_view command) {
  if (before.empty()) return std::string(command);
  return before.ends_with(command) ? before : fmt::format("{}; {}", before, command);
}

/// Says how to go on with a training whose end was asked for; where nothing keeps it, that goes on its way.
Ending interrupted_training(const RunOptions& options) {
  if (!fs::exists(checkpoint_path(options.output))) throw Interrupted();
  say(false, fmt::format("optinc: the training so far is kept in {}. Go on with: optinc resume {}",
                         checkpoint_path(options.output).string(), options.output.string()));
  return Ending::interrupted;
}

/// Throws Error where another training for the same output is kept, unless it is to be replaced.
void require_no_checkpoint(const RunOptions& options) {
  const fs::path path = checkpoint_path(options.output);
  validate(options.force || !fs::exists(path),
           "{}: a training for that output is under way or was not finished. Go on with it: optinc resume {}; "
           "or start anew with --force.",
           path.string(), options.output.string());
}

/// Removes what is kept of a training: for whoever holds the output and has the network, or starts anew.
void forget_training(const RunOptions& options) {
  const fs::path kept = checkpoint_path(options.output);
  std::error_code none;
  fs::remove(kept, none);
  remove_leftovers(kept);
}

/// Trains, or goes on with what is kept, and writes the network.
Ending train_to_file(const StudyConfig& config, const RunOptions& options, bool force) {
  outlive_listeners();
  const fs::path kept = checkpoint_path(options.output);
  use_threads(config);
  Prelude prelude;
  try {
    prelude = {{make_network_of(config, options.quiet, {kept, options.command})}};
  } catch (const Interrupted&) {
    return interrupted_training(options);
  }
  AtomicFile out(options.output, force);
  write_provenance(out.file(), config, "OptINC: trained network", options.command);
  write_warnings(out.file(), study_warnings(config));
  write_prelude(out.file().root(), prelude);
  const Network& network = prelude.networks.front().network;
  write_onn_group(out.file().group("onn"), network, summarise(network));
  remove_leftovers(options.output);
  out.commit();
  forget_training(options);
  return Ending::complete;
}

/// Goes on with a training of the train command.
Ending resume_training(const ResumeChanges& changes, const RunOptions& options) {
  validate(!changes.trials && !changes.time_limit_s,
           "--trials or --time-limit for {}: a training has no trials. Leave them out.",
           options.output.string());
  const HeldOutput held(options.output);
  const TrainingCheckpoint kept = read_checkpoint(checkpoint_path(options.output));
  StudyConfig config = kept.config;
  config.run.threads = changes.threads.value_or(0);
  validate_config(config);
  const std::string commands = joined(kept.command, options.command);
  RunOptions both = options;
  both.command = commands;
  return train_to_file(config, both, true);  // asked before the training began
}

/// From whatever is known of a study to its result file.
Ending finish(StudyState& state, Journal& journal, const RunOptions& options) {
  outlive_listeners();
  const StudyConfig& config = state.config;
  auto points = checked_points(config, check_interrupt);
  if (!state.prelude) {
    const fs::path kept = checkpoint_path(options.output);
    try {
      state.prelude = make_prelude(config, options.quiet, {kept, options.command});
    } catch (const Interrupted&) {
      return interrupted_training(options);
    }
    journal.prelude(prelude_bytes(*state.prelude));
    journal.sync();  // before what it stands for goes
    forget_training(options);
  }
  const fs::path trainings = options.output.string() + ".trials";
  const TrialModel model = make_model(config, *state.prelude, trainings);
  if (!state.records)
    state.records.emplace(points.size(), static_cast<std::size_t>(config.runner.trials), model.record_size);

  const bool ranks = options.ranks != nullptr && options.ranks->size() > 1;
  const int threads = config.run.threads > 0 ? config.run.threads : omp_get_max_threads();
  if (ranks) {
    const std::string toml = identity_toml(config);
    options.ranks->begin(std::as_bytes(std::span(toml)), prelude_bytes(*state.prelude));
  }
  const TrialsReport report = run_trials(
      config, model, state.shard,
      ranks ? options.ranks->executor() : on_threads(model, std::move(points), threads),
      [&](const TrialResult& r) { journal.trial(r.task.point, r.task.trial, r.record); }, options.quiet,
      *state.records);

  Ending ending = report.ending;
  std::optional<OnceResults> once;
  if (ending == Ending::complete && state.shard.whole() && is_complete(config, model, *state.records)) {
    try {
      once = measure_once(config, *state.prelude, options.quiet);
    } catch (const Interrupted&) {
      ending = Ending::interrupted;
    }
  }
  const double start = omp_get_wtime();
  write_results(state, model, once ? &*once : nullptr, options);
  if (ending == Ending::complete) remove_kept_learners(trainings);
  journal.remove();
  tell(report, ranks ? options.ranks->size() - 1 : threads, omp_get_wtime() - start, options.quiet);
  if (ending != Ending::complete)
    say(false, fmt::format("optinc: {} trials are stored in {}. Go on with: optinc resume {}",
                           state.records->count(), options.output.string(), options.output.string()));
  return ending;
}

/// Every key that tells two studies apart, with both values.
std::string difference(const StudyConfig& a, const StudyConfig& b) {
  const auto left = config_entries(a), right = config_entries(b);
  std::vector<std::string> differ;
  for (std::size_t i = 0; i < left.size(); ++i)
    if (left[i].info.changes_results && left[i].value != right[i].value)
      differ.push_back(fmt::format("{} = {} here and {} there", left[i].name(), toml_text(left[i].value),
                                   toml_text(right[i].value)));
  for (std::size_t i = 0; i < std::min(a.sweeps.size(), b.sweeps.size()); ++i)
    if (a.sweeps[i] != b.sweeps[i])
      differ.push_back(fmt::format("[[sweep]] {} has other points", a.sweeps[i].name));
  if (a.sweeps.size() != b.sweeps.size())
    differ.push_back(fmt::format("{} sweeps here and {} there", a.sweeps.size(), b.sweeps.size()));
  return fmt::format("{}", fmt::join(differ, ", "));
}

/// Adds what the file at the output's place holds to what a journal holds. Where a forced run was to replace
/// it, it is something else: another study's, or nothing of ours.
void add_earlier_results(const fs::path& results, StudyState& state) {
  std::optional<StudyState> earlier;
  try {
    earlier = read_state(results);
  } catch (const Error&) {
    return;
  }
  StudyConfig grown = earlier->config;  // resume may have added trials since
  grown.runner.trials = state.config.runner.trials;
  if (run_id(grown) == run_id(state.config)) add_state(*earlier, state);
}

/// Throws Error where two files were computed by programs that may round differently.
void require_same_build(const fs::path& first, const fs::path& other) {
  const File a = File::open(first), b = File::open(other);
  for (const char* name : {"optinc_version", "build_target", "compiler"}) {
    const std::string one = a.root().attributes().text(name), two = b.root().attributes().text(name);
    validate(one == two,
             "{}: another build than {} ({} \"{}\" here and \"{}\" there). Run all shards with one build.",
             other.string(), first.string(), name, two, one);
  }
}

bool same_network(const Prelude& a, const Prelude& b) {
  const auto layer = [](const SigmaULayer& x, const SigmaULayer& y) {
    return x.unitary == y.unitary && x.sigma == y.sigma && x.bias == y.bias;
  };
  const auto equal = [&](const PreparedNetwork& x, const PreparedNetwork& y) {
    return std::equal(x.network.layers.begin(), x.network.layers.end(), y.network.layers.begin(),
                      y.network.layers.end(), layer);
  };
  return std::equal(a.networks.begin(), a.networks.end(), b.networks.begin(), b.networks.end(), equal);
}

}  // namespace

Ending run_study(const StudyConfig& config, const RunOptions& options) {
  validate_config(config);
  require_memory(config, model_layout(config, config.network.hidden.size() + 1).record_size);
  checked_points(config, check_interrupt);
  require_writable_output(options.output, options.force);
  require_no_checkpoint(options);
  use_threads(config);
  require_data(config);
  print_warnings(study_warnings(config));  // of a study that nothing refuses
  StudyState state{config, options.shard, {}, {}, true};
  Journal journal =
      Journal::create(journal_path(options.output), command_comment(options.command) + identity_toml(config),
                      options.shard.text() + fresh_mark, options.force);
  try {
    require_writable_output(options.output, options.force);  // another run may have ended before we held it
    forget_training(options);
    return finish(state, journal, options);
  } catch (...) {
    // there is nothing in it to go on with
    if (!state.prelude && !fs::exists(checkpoint_path(options.output))) journal.remove();
    throw;
  }
}

Ending resume_study(const ResumeChanges& changes, const RunOptions& options) {
  const fs::path path = journal_path(options.output);
  const bool results = fs::exists(options.output), journalled = has_journal(options.output);
  if (!journalled && fs::exists(checkpoint_path(options.output))) return resume_training(changes, options);
  validate(results || journalled,
           "{}: nothing to go on with (neither it nor trials in {} are there). Start with optinc run.",
           options.output.string(), path.string());
  std::optional<OpenedJournal> opened;
  if (journalled) opened.emplace(reopen_journal(path));
  const StudyState state = opened ? opened->state : read_state(options.output);
  const std::string commands = joined(state.command, options.command);
  RunOptions both = options;  // the file was made by all of them
  both.command = commands;
  const int trials = changes.trials.value_or(state.config.runner.trials);
  validate(trials >= state.config.runner.trials,
           "--trials {}: fewer than the study's {} (resume only adds). Give at least {}, or run a new study.",
           trials, state.config.runner.trials, state.config.runner.trials);
  StudyState grown{state.config, state.shard, state.prelude, {}, false};
  grown.config.runner.trials = trials;
  grown.config.run.threads = changes.threads.value_or(0);
  grown.config.run.time_limit_s = changes.time_limit_s.value_or(0.0);
  validate_config(grown.config);
  require_memory(grown.config, layout_of(grown).record_size);
  add_state(state, grown);
  if (opened && results && !state.fresh) add_earlier_results(options.output, grown);
  use_threads(grown.config);
  require_data(grown.config);
  if (opened && trials == state.config.runner.trials) return finish(grown, opened->journal, both);
  if (opened) {  // a grown study needs a journal of its own; what the old one holds goes into the result file
                 // first
    if (grown.prelude && grown.records) write_results(grown, layout_of(grown), nullptr, both);
    opened->journal.remove();
  }
  Journal journal =
      Journal::create(path, command_comment(commands) + identity_toml(grown.config), grown.shard.text(), false);
  if (grown.prelude) journal.prelude(prelude_bytes(*grown.prelude));
  return finish(grown, journal, both);
}

void merge_studies(const std::vector<fs::path>& shards, const RunOptions& options) {
  require_not_input(options.output, shards);
  require_writable_output(options.output, options.force);
  validate(!has_journal(options.output),
           "{}: a run of that output is under way or was not finished. Choose another output.",
           journal_path(options.output).string());
  const HeldOutput held(options.output);
  require_writable_output(options.output, options.force);  // another merge may have ended before we held it
  std::optional<StudyState> whole;
  for (const fs::path& path : shards) {
    const StudyState part = read_state(path);
    require_same_build(shards.front(), path);
    if (!whole) {
      whole = StudyState{part.config, {}, part.prelude, part.records, false};
      continue;
    }
    validate(run_id(part.config) == run_id(whole->config),
             "{}: another study than {} ({}). Merge shards of one study only.", path.string(),
             shards.front().string(), difference(part.config, whole->config));
    validate(same_network(*part.prelude, *whole->prelude),
             "{}: another network than {} (trained on another machine or build). Train it once with optinc "
             "train and set "
             "network.source.",
             path.string(), shards.front().string());
    add_state(part, *whole);
  }
  require_data(whole->config);
  const TrialModel model = layout_of(*whole);
  std::optional<OnceResults> once;
  if (is_complete(whole->config, model, *whole->records))
    once = measure_once(whole->config, *whole->prelude, options.quiet);
  else
    say(false,
        fmt::format(
            "optinc: {} of {} trials are there. Add the missing shards, or run the rest: optinc resume {}",
            whole->records->count(), trials_wanted(whole->config, {}), options.output.string()));
  write_results(*whole, model, once ? &*once : nullptr, options);
}

Ending run_training(const StudyConfig& config, const RunOptions& options) {
  validate_config(config);
  validate(has_network(config.model),
           "model = \"{}\" has no network to train (chips have). Set model = \"chip\".", config.model);
  require_writable_output(options.output, options.force);
  require_no_checkpoint(options);
  const HeldOutput held(options.output);
  forget_training(options);
  print_warnings(study_warnings(config));
  return train_to_file(config, options, options.force);
}

void work_for_ranks(Ranks& ranks) {
  omp_set_num_threads(1);  // the ranks are the threads
  catch_interrupts();      // rank 0 stores what is finished while the others stand by
  ranks.work([](const std::vector<std::byte>& config_toml, const std::vector<std::byte>& prelude) {
    const StudyConfig config =
        parse_config(std::string_view(reinterpret_cast<const char*>(config_toml.data()), config_toml.size()),
                     "study of rank 0");
    auto model = std::make_shared<const TrialModel>(make_model(config, prelude_of_bytes(prelude)));
    auto points = std::make_shared<const std::vector<StudyConfig>>(checked_points(config, check_interrupt));
    return [model, points](const TrialTask& task) { return run_trial(*model, (*points)[task.point], task); };
  });
}

}  // namespace optinc
