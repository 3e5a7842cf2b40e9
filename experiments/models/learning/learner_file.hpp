#pragma once

#include "experiments/files/hdf5/hdf5.hpp"
#include "experiments/models/learning/data_parallel.hpp"

namespace optinc {

/// Writes where training stands into a group: datasets parameters, first_moment and (of adamw) second_moment,
/// attributes epoch, step and seed. The settings are not kept: the study's configuration has them.
void save_learner(const Group& group, const Learner& learner);

/// The learner that was saved, to the same bits; it goes on as if it had never stopped. Throws Error as
/// start_learner, for a group that does not hold a learner of this task, optimiser and seed, and for one beyond
/// its epoch's steps.
Learner load_learner(const Group& group, const DataParallelSettings& settings, const LearningTask& task);

}  // namespace optinc
