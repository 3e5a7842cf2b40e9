#pragma once

#include "experiments/files/hdf5/hdf5.hpp"
#include "experiments/models/trial_model.hpp"
#include "experiments/run/trials/records.hpp"

namespace optinc {

// The groups of a result file that come from trials (FORMAT.md). Only the model's layout is used, not its
// function.

/// The study's axes and one dataset a quantity.
void write_trials_group(const Group& group, const StudyConfig& config, const TrialModel& model,
                        const Records& records);

/// Means, intervals, quantiles and yields at every point.
void write_summary_group(const Group& group, const StudyConfig& config, const TrialModel& model,
                         const Records& records);

/// Whether the study sweeps by ablation.
bool has_ablation(const StudyConfig& config);

/// Variance shares of every source.
void write_ablation_group(const Group& group, const StudyConfig& config, const TrialModel& model,
                          const Records& records);

/// The raw results again, bit for bit. Throws Error where the group's shapes are not the study's.
Records read_trials_group(const Group& group, const StudyConfig& config, const TrialModel& model);

}  // namespace optinc
