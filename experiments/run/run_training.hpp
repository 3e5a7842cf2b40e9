#pragma once

#include "experiments/run/run_options.hpp"

namespace optinc {

/// The first step alone: trains the network and writes it with its curve. Training is kept beside the output
/// meanwhile (checkpoint_path()), so that resume_training() goes on with it. Throws Error.
Ending run_training(const StudyConfig& config, const RunOptions& options);

/// Goes on with a training of the train command; of one that is finished, says so. Throws Error where trials or
/// a time limit are asked for, which a training has not, where another program began it and options do not
/// allow that, and before any work where a file lies at the output that it was not told to replace.
Ending resume_training(const ResumeChanges& changes, const RunOptions& options);

/// Says how to go on with a training whose end was asked for; where nothing keeps it, that goes on its way.
Ending interrupted_training(const RunOptions& options);

/// Removes what is kept of a training at an output: for whoever holds it and has the network, or begins anew.
void forget_training(const std::filesystem::path& output);

}  // namespace optinc
