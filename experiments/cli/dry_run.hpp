#pragma once

#include <string>

#include "experiments/engine/runner/run_trials.hpp"

namespace optinc {

/// What a run would take: points, trials, time, memory and size of its file, from a few trials on an untrained
/// network (whose trials take as long) and a short training. Text for a person. Writes nothing.
std::string dry_run(const StudyConfig& config, const Shard& shard);

}  // namespace optinc
