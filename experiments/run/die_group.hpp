#pragma once

#include "experiments/files/hdf5/hdf5.hpp"
#include "experiments/study/study_config.hpp"

namespace optinc {

/// Whether chips come from wafers at any point of a study.
bool has_dies(const StudyConfig& config);

/// The group `dies`: wafer, number and place of the die that each trial has at each point.
void write_dies_group(const Group& group, const StudyConfig& config);

}  // namespace optinc
