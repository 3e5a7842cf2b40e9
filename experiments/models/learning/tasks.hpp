#pragma once

#include <string>

#include "experiments/models/learning/learning_task.hpp"
#include "experiments/study/learner_settings.hpp"

namespace optinc {

/// All of the settings that a model and its data depend on, in one line: settings of one name share a task.
std::string learning_task_name(const LearnerSettings& settings);

/// Reads the data set and binds the model to it. Throws Error for a model and a data set that do not go
/// together, and as the data set's loader.
LearningTask make_learning_task(const LearnerSettings& settings);

}  // namespace optinc
