#pragma once

#include <cstddef>

#include "experiments/config/study_config.hpp"

namespace optinc {

/// Bytes of memory that a run needs at most, from the size of its records: they are held once while trials run;
/// for the result file each dataset is gathered, the file is built in memory and copied once.
double peak_memory_bytes(const StudyConfig& config, std::size_t record_size);

/// "1.5 GB".
std::string size_text(double bytes);

/// Throws Error, before any work, for a study that does not fit the memory of this machine.
void require_memory(const StudyConfig& config, std::size_t record_size);

}  // namespace optinc
