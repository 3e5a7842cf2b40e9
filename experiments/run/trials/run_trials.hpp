#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "experiments/models/trial_model.hpp"
#include "experiments/run/trials/records.hpp"

namespace optinc {

/// One part of a study's trials: number `index` (from 1) of `count`.
struct Shard {
  int index = 1;
  int count = 1;

  /// Whether this is the whole study.
  bool whole() const { return count == 1; }
  /// I/N, as the command line takes it.
  std::string text() const;
};

/// "2/4". Throws Error for anything else.
Shard parse_shard(std::string_view text);

/// One trial to be run.
struct TrialTask {
  std::size_t point = 0, trial = 0;
};

/// One trial that was run.
struct TrialResult {
  TrialTask task;
  double seconds = 0.0;
  std::vector<double> record;
};

/// What runs a list of trials, in any order: calls `keep` for each that is finished, one at a time, and starts
/// no more once `stop` says so.
using Executor = std::function<void(std::span<const TrialTask> tasks, const std::function<bool()>& stop,
                                    const std::function<void(const TrialResult&)>& keep)>;

/// Runs one trial of a model; NaN where it records nothing.
TrialResult run_trial(const TrialModel& model, const StudyConfig& at_point, const TrialTask& task);

/// Threads of this process. `points`: the configuration of every point. The model must outlive what is
/// returned.
Executor on_threads(const TrialModel& model, std::vector<StudyConfig> points, int threads);

/// How a run of trials ended.
enum class Ending { complete, time_limit, interrupted };

/// What a run of trials did, and how it ended.
struct TrialsReport {
  Ending ending = Ending::complete;
  std::size_t run = 0;         ///< trials run now, without those found finished
  double trial_seconds = 0.0;  ///< spent inside them, over all threads
  double wall_seconds = 0.0;
};

/// Runs what `records` lacks of the study's trials, this shard's share. Rounds of all points together; with
/// [runner] precision a round has 50 trials a point, and a point whose 95 % interval (Student) of the mean of
/// precision_metric is narrow enough, in every variant and layer, after a round is done. The decision looks at
/// whole rounds only, so the trials that are run, like their results, depend on nothing but the configuration.
/// Every finished trial is put into `records` and handed to `keep`. Ends early at run.time_limit_s or when
/// interrupted.
TrialsReport run_trials(const StudyConfig& config, const TrialModel& model, const Shard& shard,
                        const Executor& execute, const std::function<void(const TrialResult&)>& keep,
                        bool quiet, Records& records);

/// Trials that a complete run of this shard has at most.
std::size_t trials_wanted(const StudyConfig& config, const Shard& shard);

/// Whether `records` holds all that the whole study asks for, its stop rule included.
bool is_complete(const StudyConfig& config, const TrialModel& model, const Records& records);

}  // namespace optinc
