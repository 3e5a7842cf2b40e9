#pragma once

#include "experiments/files/hdf5/hdf5.hpp"
#include "experiments/models/trial_model.hpp"

namespace optinc {

/// Names of a study's sweep axes, outermost first; those of an ablation only where asked.
std::vector<std::string> sweep_axis_names(const StudyConfig& config, bool with_ablation = true);

/// Writes the study's sweep axes as dimensions, with the values of keys taken together beside them.
void write_sweep_axes(const Group& group, const StudyConfig& config, bool with_ablation = true);

/// Writes the model's axes that some quantity has.
void write_model_axes(const Group& group, const TrialModel& model);

/// Sweeps, then `between`, then the quantity's own axes, then `behind`.
std::vector<std::string_view> axes_of(const std::vector<std::string>& sweeps, const Quantity& quantity,
                                      std::string_view between = {}, std::string_view behind = {});

}  // namespace optinc
