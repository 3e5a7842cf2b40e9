#pragma once

#include "experiments/engine/config/study_config.hpp"

namespace optinc {

/// Throws Error where a trial of the study's model records more than there is room for: model chip with codes
/// of more than 9 digits, whose errors its histogram counts one by one.
void require_records(const StudyConfig& config);

}  // namespace optinc
