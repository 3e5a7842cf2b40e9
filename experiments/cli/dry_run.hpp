#pragma once

#include <string>

#include "experiments/runner/run_trials.hpp"

namespace optinc {

/// What a run would take: points, trials, time, memory and size of its file, from a few trials on an untrained
/// network (whose trials take as long) and a short training. Text for a person. Writes nothing.
std::string dry_run(const StudyConfig& config, const Shard& shard);

/// Bytes of memory a run needs at its peak, from the size of its records: they are held once while trials run;
/// for the result file each dataset is gathered, the file is built in memory and copied once.
double peak_memory_bytes(const StudyConfig& config, std::size_t record_size);

}  // namespace optinc
