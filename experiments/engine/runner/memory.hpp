#pragma once

#include <cstddef>

#include "experiments/engine/config/study_config.hpp"

namespace optinc {

/// Bytes of memory that a run needs at most. Records are held once while trials run; for the result file each
/// dataset is gathered, the file is built in memory and copied once. Chips and their words: trial_memory_bytes,
/// on as many threads as the run has. Not counted: training and what is measured once a study.
double peak_memory_bytes(const StudyConfig& config, std::size_t record_size);

/// "1.5 GB".
std::string size_text(double bytes);

/// Throws Error, before any work, for a study that does not fit the memory of this machine.
void require_memory(const StudyConfig& config, std::size_t record_size);

}  // namespace optinc
