#pragma once

#include <toml++/toml.h>

#include "experiments/config/study_config.hpp"

namespace optinc {

/// The [[sweep]] tables of a study, their points laid out; `config` gives the keys' types, the seed of random
/// designs and what there is to switch off. Throws Error with the place.
std::vector<SweepAxis> read_sweeps(const toml::table& table, std::string_view name, const StudyConfig& config);

/// "section.key=[values]" over the study's sweep of this key alone, or as one more, innermost.
void override_sweep(const std::string& text, StudyConfig& config);

/// Throws Error unless axes have names of their own and every key is swept once.
void validate_axes(const std::vector<SweepAxis>& axes, std::string_view name);

/// The ablation of every source that the configuration has switched on. Throws Error where none is.
SweepAxis ablation_of_all(const StudyConfig& config);

}  // namespace optinc
