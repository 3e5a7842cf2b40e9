#pragma once

#include "experiments/study/study_config.hpp"

namespace optinc {

/// Throws Error where a trial of the study's model records more than there is room for
/// (StudyModel::require_records).
void require_records(const StudyConfig& config);

}  // namespace optinc
