#pragma once

#include <string>

namespace optinc {

/// What there is to use: studies shipped, devices, chip presets with their values, models with their metrics
/// and variants, sources of error that an ablation switches, figures. Text for a person.
std::string listing();

}  // namespace optinc
