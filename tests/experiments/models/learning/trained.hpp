#pragma once

#include <utility>
#include <vector>

#include <omp.h>

#include "experiments/models/learning/data_parallel.hpp"

namespace optinc {

/// A training from beginning to end.
struct Trained {
  Learner learner;
  std::vector<double> losses;  ///< of each step's batch, before the step (nats)
  Evaluation test;             ///< at the end
};

inline Trained trained(const DataParallelSettings& settings, const LearningTask& task,
                       const Aggregator& aggregate = average_exactly) {
  Trained result{start_learner(settings, task), {}, {}};
  for (std::uint32_t left = training_steps(settings, task); left > 0; --left)
    result.losses.push_back(train_step(result.learner, task, aggregate));
  result.test = task.evaluate(result.learner.parameters);
  return result;
}

/// The same on so many threads.
inline Trained trained_on(int threads, const DataParallelSettings& settings, const LearningTask& task) {
  const int before = omp_get_max_threads();
  omp_set_num_threads(threads);
  Trained result = trained(settings, task);
  omp_set_num_threads(before);
  return result;
}

}  // namespace optinc
