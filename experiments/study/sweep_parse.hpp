#pragma once

#include "experiments/study/study_config.hpp"
#include "experiments/study/toml_values.hpp"

namespace optinc {

/// The [[sweep]] tables of a study, their points laid out; `config` gives the keys' types, the seed of random
/// designs and what there is to switch off. Throws Error with the place.
std::vector<SweepAxis> read_sweeps(const toml::table& table, const TomlSource& source,
                                   const StudyConfig& config);

/// "section.key=[values]" over the study's sweep of this key alone, or as one more, innermost.
void override_sweep(const std::string& text, StudyConfig& config);

/// The field of a key that a sweep may vary: whatever describes a network, a device, its light, its noise or
/// what changes around it. Throws Error, `where` first, for another key, and for one that the study's model
/// does not read.
FieldEntry swept_entry(const StudyConfig& config, const std::string& key, const std::string& where);

/// Throws Error unless axes have names of their own and every key is swept once.
void validate_axes(const std::vector<SweepAxis>& axes, std::string_view name);

/// The ablation of every source that the configuration has switched on. Throws Error where none is.
SweepAxis ablation_of_all(const StudyConfig& config);

}  // namespace optinc
