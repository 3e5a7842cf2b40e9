#pragma once

#include "experiments/engine/config/study_config.hpp"

namespace optinc {

/// Throws Error, naming the key of [learner] first, where a study of model learning cannot be: model and data
/// that do not go together, units that servers do not fit, codes that a chip's map does not hold.
void validate_learner(const StudyConfig& config);

}  // namespace optinc
