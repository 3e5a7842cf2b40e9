#pragma once

#include "experiments/study/study_config.hpp"
#include "experiments/study/study_model.hpp"

namespace optinc {

/// Whether gradients travel as codes.
bool sends_codes(const LearnerSettings& settings);

/// Servers that train together through units with so many inputs: as many, or their square with two levels.
int training_servers(const LearnerSettings& settings, int servers_of_unit);

/// Throws Error, naming the key of [learner] first, where a study of model learning cannot be: model and data
/// that do not go together, units that servers do not fit, codes that a chip's map does not hold.
void validate_learner(const StudyConfig& config);

/// What acts on codes, where none are sent.
std::vector<StudyWarning> codeless_warnings(const StudyConfig& at_point);

/// What acts on chips, in a study that sends nothing through one at any point: a line for each section.
std::vector<StudyWarning> chipless_warnings(const StudyConfig& config);

}  // namespace optinc
