#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "experiments/run/trials/mpi.hpp"
#include "experiments/run/trials/run_trials.hpp"
#include "experiments/study/study_config.hpp"

namespace optinc {

/// Where a study's results go, who helps, and how it is told of.
struct RunOptions {
  std::filesystem::path output;
  bool force = false;            ///< replace an existing output
  bool quiet = false;            ///< no progress
  std::string_view command;      ///< as typed, for the file's provenance
  Shard shard = {};              ///< this run's share of the trials
  Ranks* ranks = nullptr;        ///< of an MPI run
  bool mixed_revisions = false;  ///< go on with trials that programs of other revisions computed
};

/// What resume may change of a study: the number of trials, upwards, and how to run.
struct ResumeChanges {
  std::optional<int> trials, threads;
  std::optional<double> time_limit_s;
};

/// Has this study run on as many threads as it asks for.
void use_threads(const StudyConfig& config);

/// A line on standard error, unless `quiet`.
void say(bool quiet, const std::string& text);

/// Commands that made a file, one behind the other as a shell takes them; one that is repeated is told once.
std::string joined_commands(const std::string& before, std::string_view command);

}  // namespace optinc
