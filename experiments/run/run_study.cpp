#include "experiments/run/run_study.hpp"

#include <algorithm>
#include <bit>
#include <memory>

#include <fmt/format.h>
#include <omp.h>

#include "experiments/base/interrupt.hpp"
#include "experiments/base/progress.hpp"
#include "experiments/files/hdf5/provenance.hpp"
#include "experiments/models/trial_checkpoint.hpp"
#include "experiments/run/output_state.hpp"
#include "experiments/run/run_training.hpp"
#include "experiments/run/training_checkpoint.hpp"
#include "experiments/run/trials/memory.hpp"
#include "experiments/run/write_results.hpp"
#include "experiments/study/points.hpp"
#include "experiments/study/study_warnings.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

namespace fs = std::filesystem;

/// Trials shorter than this in all, in seconds, say nothing of the share that the runner takes.
constexpr double least_trial_seconds = 1.0;

/// What the runner and the store cost: the time of all workers outside trials, over their time in trials.
void tell(const TrialsReport& report, int workers, double store_seconds, bool quiet) {
  if (report.run == 0) return;
  const double wall = report.wall_seconds + store_seconds;
  std::string text = fmt::format("timing: {} trials in {:.3f} s, {:.1f}/s on {}; {:.3f} s to store", report.run,
                                 wall, static_cast<double>(report.run) / wall, workers, store_seconds);
  // of a run that was stopped, the trials that were given up are outside as well
  if (report.ending == Ending::complete && report.trial_seconds >= least_trial_seconds)
    text += fmt::format("; overhead {:.2f} % ({} spent outside trials, relative to the time in trials)",
                        100 * (wall * workers - report.trial_seconds) / report.trial_seconds,
                        workers == 1 ? "time" : fmt::format("time that the {} workers", workers));
  say(quiet, text);
}

/// What the file at the output knows of this study; nothing where it is not this study's results. Throws Error
/// for one that cannot be read.
std::optional<StudyState> own_results(const fs::path& output, const StudyState& state) {
  std::optional<StudyState> found = read_state(output);
  StudyConfig grown = found->config;  // resume may have added trials since
  grown.runner.trials = state.config.runner.trials;
  if (run_id(grown) != run_id(state.config)) found.reset();
  return found;
}

/// Whether write_results() may write: nothing lies there, or what --force gave up to the run, or results of
/// this study with no more trials, such as those that the run wrote before it was killed.
bool may_write(const StudyState& state, const fs::path& output) {
  if (is_as_found(output, state.replaces)) return true;
  try {
    const std::optional<StudyState> found = own_results(output, state);
    return found && found->records->count() <= state.records->count();
  } catch (const Error&) {
    return false;
  }
}

/// Writes the results of all that is known, or says where they are kept.
void store_results(const StudyState& state, const TrialModel& model, const OneOffResults* once,
                   const RunOptions& options) {
  validate(
      may_write(state, options.output),
      "{}: not what this run may replace (another file, or one with more trials, since the run began). Move it "
      "away; the trials are in {}: optinc resume {}",
      options.output.string(), journal_path(options.output).string(), options.output.string());
  write_results(state, model, once, options, fs::exists(options.output));
}

/// Adds what the file at the output knows to what the journal of a run knows that may not replace it. Throws
/// Error where it cannot be read or is no file of this study.
void add_results(const fs::path& output, StudyState& state) {
  const std::string mend = fmt::format("Replace it by a sound copy, or move it away to resume from {} alone.",
                                       journal_path(output).string());
  std::optional<StudyState> found;
  try {
    found = own_results(output, state);
  } catch (const Error& error) {
    throw Error(fmt::format("{} {}", error.what(), mend));
  }
  validate(found.has_value(), "{}: results of another study than the one that is resumed. {}", output.string(),
           mend);
  add_state(*found, state);
}

/// Whether a run has made anything that a later one would not make at once: trials, or a trained network.
bool worth_resuming(const StudyState& state) {
  if (!state.inputs) return false;
  const Networks& networks = state.inputs->networks;
  return (state.records && state.records->count() > 0) ||
         std::any_of(networks.begin(), networks.end(), [](const auto& n) { return !n.curve.empty(); });
}

/// Removes what is kept of the training of one of these points' networks, which are known; of another training
/// it stays, and is told of.
void forget_own_training(const std::vector<StudyConfig>& points, const fs::path& output) {
  const fs::path path = checkpoint_path(output);
  if (output_state(output).training == Beside::nothing) return forget_training(output);
  try {
    const StudyConfig kept = read_checkpoint(path).config;
    for (const StudyConfig& point : points)
      for (const StudyConfig& asked : asked_networks(point))
        if (same_training(kept, asked)) return forget_training(output);
  } catch (const Error&) {  // who cannot be read is nobody's
  }
  print_warnings(
      {fmt::format("{}: not the training of this study. It is left there; move it away", path.string())});
}

/// Throws Error unless the trials of a journal are those of `model`, whose networks and files are damaged there
/// and were made or read again: the first trial is run once more.
void require_own_trials(const StudyState& state, const TrialModel& model,
                        const std::vector<StudyConfig>& points, const fs::path& journal) {
  const Records& records = *state.records;
  std::size_t p = 0, t = 0;
  while (!records.has(p, t)) t + 1 < records.trials ? ++t : (t = 0, ++p);
  const auto kept = records.at(p, t);
  const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };  // NaN equals NaN here
  validate(
      records.record_size == model.record_size &&
          std::ranges::equal(kept, run_trial(model, points[p], {p, t}).record, {}, bits, bits),
      "{}: its networks or files are damaged, and those that the study names now give other values (trial {} "
      "of point {}). Put those back that the run began with, or move the journal away and run again.",
      journal.string(), t, p);
  print_warnings(
      {fmt::format("{}: the networks and files that were made or read again give trial {} of point {} as "
                   "it is there",
                   journal.string(), t, p)});
}

/// From whatever is known of a study to its result file.
Ending finish(StudyState& state, Journal& journal, const RunOptions& options) {
  ignore_sigpipe();
  const StudyConfig& config = state.config;
  auto points = checked_points(config, check_interrupt);
  const bool known = state.inputs.has_value();
  if (!known) {
    const fs::path kept = checkpoint_path(options.output);
    try {
      state.inputs = make_study_inputs(config, options.quiet,
                                       {kept, {std::string(options.command), state.revisions, state.replaces}});
    } catch (const Interrupted&) {
      return interrupted_training(options);
    }
    std::vector<StudyWarning> warnings;
    {
      const LongPhase phase("largest values in the networks", options.quiet);
      warnings = input_warnings(config, *state.inputs);
    }
    print_warnings(lines_of(warnings));
  }
  const fs::path trainings = options.output.string() + ".trials";
  const TrialModel model = [&] {
    const LongPhase phase("chips of the networks", options.quiet);
    return make_model(config, *state.inputs, trainings);
  }();
  if (!known && state.records) require_own_trials(state, model, points, journal_path(options.output));
  if (!known) journal.inputs(study_inputs_bytes(*state.inputs));  // on the disk before what it stands for goes
  forget_own_training(points, options.output);
  if (!state.records)
    state.records.emplace(points.size(), static_cast<std::size_t>(config.runner.trials), model.record_size);

  const bool ranks = options.ranks != nullptr && options.ranks->size() > 1;
  const int threads = config.run.threads > 0 ? config.run.threads : omp_get_max_threads();
  if (ranks) {
    // a launcher may have put the others into another folder
    options.ranks->begin(
        {identity_toml(config), study_inputs_bytes(*state.inputs), fs::absolute(trainings).string()});
  }
  const TrialsReport report = run_trials(
      config, model, state.shard,
      ranks ? options.ranks->executor() : on_threads(model, std::move(points), threads),
      [&](const TrialResult& r) { journal.trial(r.task.point, r.task.trial, r.record); }, options.quiet,
      *state.records);

  Ending ending = report.ending;
  std::optional<OneOffResults> once;
  if (ending == Ending::complete && state.shard.whole() && is_complete(config, model, *state.records)) {
    try {
      once = measure_one_offs(config, *state.inputs, options.quiet);
    } catch (const Interrupted&) {
      ending = Ending::interrupted;
    }
  }
  const double start = omp_get_wtime();
  {
    const LongPhase phase("storing", options.quiet);
    store_results(state, model, once ? &*once : nullptr, options);
  }
  remove_trial_checkpoints(trainings, ending == Ending::complete);
  journal.remove();
  tell(report, ranks ? options.ranks->size() - 1 : threads, omp_get_wtime() - start, options.quiet);
  if (ending != Ending::complete)
    say(false, fmt::format("optinc: {} trials are stored in {}. Continue with: optinc resume {}",
                           state.records->count(), options.output.string(), options.output.string()));
  return ending;
}

}  // namespace

Ending run_study(const StudyConfig& config, const RunOptions& options) {
  validate_config(config);
  require_memory(config, model_layout(config, config.network.hidden.size() + 1).record_size);
  checked_points(config, check_interrupt);
  require_free_output(options);
  use_threads(config);
  require_data(config);
  print_warnings(lines_of(study_warnings(config)));  // of a study that nothing refuses
  StudyState state{
      config, options.shard, {}, {}, fingerprint(options.output), {}, {std::string(program_revision())}};
  Journal journal = Journal::create(journal_path(options.output),
                                    journal_comments(options.command, state.revisions) + identity_toml(config),
                                    journal_heading(state), options.force);
  try {
    require_free_output(options);  // another run may have ended before we held it
    validate(is_as_found(options.output, state.replaces),
             "{}: changed while this run began (another has just finished). Look at it, and repeat the command "
             "to replace it.",
             options.output.string());
    forget_training(options.output);
    return finish(state, journal, options);
  } catch (...) {
    if (!worth_resuming(state) && !fs::exists(checkpoint_path(options.output))) journal.remove();
    throw;
  }
}

Ending resume_study(const ResumeChanges& changes, const RunOptions& options) {
  const fs::path path = journal_path(options.output);
  const OutputState there = output_state(options.output);
  const bool results = there.file != AtOutput::nothing, journalled = there.journal != Beside::nothing;
  // results are never given up for a training that lies beside them
  if (!journalled && there.file != AtOutput::trials &&
      (there.training != Beside::nothing || there.file == AtOutput::network))
    return resume_training(changes, options);
  validate(results || journalled,
           "{}: nothing to resume (neither this file nor trials in {} exist). Start with optinc run.",
           options.output.string(), path.string());
  std::optional<OpenedJournal> opened;
  if (journalled) opened.emplace(reopen_journal(path));
  const StudyState state = opened ? opened->state : read_state(options.output);
  const std::string commands = joined_commands(state.command, options.command);
  RunOptions both = options;  // the file was made by all of them
  both.command = commands;
  const int trials = changes.trials.value_or(state.config.runner.trials);
  validate(trials >= state.config.runner.trials,
           "--trials {}: fewer than the study's {} (resume only adds). Give at least {}, or run a new study.",
           trials, state.config.runner.trials, state.config.runner.trials);
  StudyState grown{state.config, state.shard, state.inputs, {}, state.replaces};
  grown.config.runner.trials = trials;
  grown.config.run.threads = changes.threads.value_or(0);
  grown.config.run.time_limit_s = changes.time_limit_s.value_or(0.0);
  validate_config(grown.config);
  require_memory(grown.config, layout_of(grown).record_size);
  add_state(state, grown);
  if (opened && results && !is_as_found(options.output, grown.replaces)) add_results(options.output, grown);
  add_revision(grown, options.output, options);
  use_threads(grown.config);
  require_data(grown.config);
  if (opened && trials == state.config.runner.trials && grown.revisions == state.revisions)
    return finish(grown, opened->journal, both);
  if (opened) {  // its heading no longer holds for what follows: what it holds goes into the result file first
    validate(
        grown.inputs || !grown.records,
        "{}: the networks or files of its trials are damaged (they are made again only to finish the run as it "
        "began). Resume first with the program that began it, without --trials.",
        path.string());
    if (grown.inputs && grown.records) {
      store_results(grown, layout_of(grown), nullptr, both);
      grown.replaces.clear();
    }
    opened->journal.remove();
  }
  Journal journal =
      Journal::create(path, journal_comments(commands, grown.revisions) + identity_toml(grown.config),
                      journal_heading(grown), false);
  if (grown.inputs) journal.inputs(study_inputs_bytes(*grown.inputs));
  return finish(grown, journal, both);
}

void work_for_ranks(Ranks& ranks) {
  omp_set_num_threads(1);  // the ranks are the threads
  catch_interrupts();      // rank 0 stores what is finished while the others stand by
  ranks.work([](const SentStudy& study) {
    const StudyConfig config = parse_config(study.config_toml, "study of rank 0");
    auto model = std::make_shared<const TrialModel>(
        make_model(config, study_inputs_of_bytes(study.inputs), study.keep_in));
    auto points = std::make_shared<const std::vector<StudyConfig>>(checked_points(config, check_interrupt));
    return [model, points](const TrialTask& task) { return run_trial(*model, (*points)[task.point], task); };
  });
}

}  // namespace optinc
