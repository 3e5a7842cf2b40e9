#pragma once

#include <string>

namespace optinc {

/// What there is to use: studies shipped, devices, chip presets with their values, models with their metrics
/// and variants, sources of error that an ablation switches, figures. Text for a person, in lines
/// of at most terminal_columns characters but for the folder of the studies.
std::string listing();

}  // namespace optinc
