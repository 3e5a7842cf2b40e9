#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "experiments/config/study_config.hpp"
#include "experiments/runner/mpi.hpp"
#include "experiments/runner/run_trials.hpp"

namespace optinc {

/// Where a study's results go, who helps, and how it is told of.
struct RunOptions {
  std::filesystem::path output;
  bool force = false;        ///< replace an existing output
  bool quiet = false;        ///< no progress
  std::string_view command;  ///< as typed, for the file's provenance
  Shard shard = {};          ///< this run's share of the trials
  Ranks* ranks = nullptr;    ///< of an MPI run
};

/// Runs a study and writes its result file: network -> trials at every point -> what is measured once. Every
/// finished trial is kept in a journal beside the output, which the result file replaces; when time is up or
/// the user interrupts, the file holds what is finished. Data and output are checked before the long work.
/// Throws Error, or Interrupted before the first trial.
Ending run_study(const StudyConfig& config, const RunOptions& options);

/// What resume may change of a study: the number of trials, upwards, and how to run.
struct ResumeChanges {
  std::optional<int> trials, threads;
  std::optional<double> time_limit_s;
};

/// Goes on with a run or a training that was interrupted, killed or out of time: what options.output and its
/// journal hold is kept, the rest is run, and the file is what an undisturbed run would have written. Throws
/// Error where there is nothing to go on with.
Ending resume_study(const ResumeChanges& changes, const RunOptions& options);

/// Puts the shards of one study together in options.output; what is then still missing, resume runs. Throws
/// Error for files of different studies or networks, naming what differs.
void merge_studies(const std::vector<std::filesystem::path>& shards, const RunOptions& options);

/// The first step alone: trains the network and writes it with its curve. Training is kept beside the output
/// meanwhile (checkpoint_path()), so that resume_study() goes on with it. Throws Error.
Ending run_training(const StudyConfig& config, const RunOptions& options);

/// What other MPI ranks do: run trials for rank 0.
void work_for_ranks(Ranks& ranks);

}  // namespace optinc
