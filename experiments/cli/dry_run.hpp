#pragma once

#include <string>

#include "experiments/run/trials/run_trials.hpp"

namespace optinc {

/// What a run would take: points, trials, time, memory and size of its file. Text for a person. Trains and
/// writes nothing; trials are timed for a second, on networks with random weights. Throws Error for what a run
/// refuses.
std::string dry_run(const StudyConfig& config, const Shard& shard);

}  // namespace optinc
