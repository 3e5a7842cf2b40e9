#pragma once

#include <cstddef>

#include "experiments/study/study_config.hpp"

namespace optinc {

/// Bytes of the program without a study.
inline constexpr double program_memory_bytes = 28e6;

/// Bytes of memory that a run needs at its peak: the program itself; the points, two settings each; records,
/// held once while trials run, while for the result file each dataset is gathered and the file is built in
/// memory and copied once; what trials take on as many threads as the run has (trial_memory_bytes). Not
/// counted: what the model says of itself (StudyModel::not_counted).
double peak_memory_bytes(const StudyConfig& config, std::size_t record_size);

/// "1.5 GB".
std::string size_text(double bytes);

/// Throws Error, before any work, for a study that does not fit the memory of this machine.
void require_memory(const StudyConfig& config, std::size_t record_size);

}  // namespace optinc
