#pragma once

#include <filesystem>
#include <string_view>

#include "experiments/config/study_config.hpp"

namespace optinc {

/// Where a study's results go and how it is told of.
struct RunOptions {
  std::filesystem::path output;
  bool force = false;        ///< replace an existing output
  bool quiet = false;        ///< no progress
  std::string_view command;  ///< as typed, for the file's provenance
};

/// Runs the study of a configuration and writes its result file, whole or not at all:
/// train -> design -> ideal chip -> chips at every level -> eye -> real gradients. Data and output are checked
/// before the long work. Throws Error.
void run_study(const StudyConfig& config, const RunOptions& options);

/// The first step alone: trains the network and writes it with its curve.
void run_training(const StudyConfig& config, const RunOptions& options);

}  // namespace optinc
