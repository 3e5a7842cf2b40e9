#pragma once

#include "experiments/run/run_options.hpp"

namespace optinc {

/// Runs a study and writes its result file: network -> trials at every point -> what is measured once. Every
/// finished trial is kept in a journal beside the output, which the result file replaces; when time is up or
/// the user interrupts, the file holds what is finished. Data and output are checked before the long work.
/// Throws Error, or Interrupted before the first trial.
Ending run_study(const StudyConfig& config, const RunOptions& options);

/// Goes on with a run or a training that was interrupted, killed or out of time: what options.output and its
/// journal hold is kept, the rest is run, and the file is what an undisturbed run would have written. Throws
/// Error where there is nothing to go on with.
Ending resume_study(const ResumeChanges& changes, const RunOptions& options);

/// What other MPI ranks do: run trials for rank 0.
void work_for_ranks(Ranks& ranks);

}  // namespace optinc
