#pragma once

#include "experiments/engine/study/run_options.hpp"

namespace optinc {

/// The first step alone: trains the network and writes it with its curve. Training is kept beside the output
/// meanwhile (checkpoint_path()), so that resume_training() goes on with it. Throws Error.
Ending run_training(const StudyConfig& config, const RunOptions& options);

/// Goes on with a training of the train command. Throws Error where trials or a time limit are asked for: a
/// training has neither.
Ending resume_training(const ResumeChanges& changes, const RunOptions& options);

/// Says how to go on with a training whose end was asked for; where nothing keeps it, that goes on its way.
Ending interrupted_training(const RunOptions& options);

/// Throws Error where another training for the same output is kept, unless it is to be replaced.
void require_no_checkpoint(const RunOptions& options);

/// Removes what is kept of a training: for whoever holds the output and has the network, or starts anew.
void forget_training(const RunOptions& options);

}  // namespace optinc
