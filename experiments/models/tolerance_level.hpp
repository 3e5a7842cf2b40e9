#pragma once

#include "experiments/study/study_config.hpp"

namespace optinc {

/// The study with tolerance.key at `level`; for key "chip", every error of [chip] times `level`, its DAC as it
/// is.
StudyConfig at_level(const StudyConfig& config, double level);

/// Whether levels are whole numbers, as the key's values are.
bool whole_levels(const StudyConfig& config);

/// Throws Error, naming the key, unless tolerance.key is "chip" or a number that the study may sweep, and
/// gentle and harsh are two values it may have.
void validate_tolerance(const StudyConfig& config);

}  // namespace optinc
