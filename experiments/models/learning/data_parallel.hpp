#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <Eigen/Dense>

#include "experiments/models/learning/learning_task.hpp"
#include "experiments/models/learning/optimiser.hpp"

namespace optinc {

/// How a learner is trained by synchronous data-parallel gradient descent.
struct DataParallelSettings {
  int workers = 4;          ///< servers, each with a copy of the parameters
  int batch = 256;          ///< examples per step over all workers; a multiple of workers
  int epochs = 6;           ///< passes over the training examples, where steps is 0
  std::uint32_t steps = 0;  ///< length of the training in steps; 0: epochs decide
  OptimiserSettings optimiser;
  std::uint64_t seed = 1;  ///< start values and order of the examples
  int equalise_every = 0;  ///< steps after which the workers' own copies are set to their mean; 0: never
};

/// Which step of which training an average is taken for: noise of one's own is drawn from (seed, step), so that
/// it depends neither on threads nor on what was computed before.
struct StepContext {
  std::uint64_t seed = 1;    ///< of the training
  std::uint32_t step = 0;    ///< steps taken before this one, from the beginning
  int epoch = 0;             ///< epochs completed
  std::uint32_t server = 0;  ///< that receives
};

/// Turns the workers' gradients, shape (parameters, workers), into the one that all of them apply, shape
/// (parameters, 1), or that each receives, (parameters, workers): exactly averaged, or sent through a network,
/// or through the light.
using Aggregator = std::function<Eigen::MatrixXf(const Eigen::MatrixXf& gradients, const StepContext& context)>;

/// The mean over the workers, summed in double from the first worker to the last.
Eigen::VectorXf exact_average(const Eigen::MatrixXf& gradients);

/// exact_average as an Aggregator.
inline Eigen::VectorXf average_exactly(const Eigen::MatrixXf& gradients, const StepContext&) {
  return exact_average(gradients);
}

/// The model as one server has it.
struct Replica {
  Eigen::VectorXf parameters;
  Moments moments;
};

/// Where training stands. Every step is a pure function of this state and the task, so a copy of it continues
/// alike.
struct Learner {
  DataParallelSettings settings;
  Eigen::VectorXf parameters;
  Moments moments;
  std::vector<std::uint32_t> order;  ///< examples of this epoch, a permutation drawn from (seed, epoch) alone
  int epoch = 0;                     ///< epochs completed
  int step = 0;                      ///< next step of this epoch, 0 <= step < steps_per_epoch
  /// What servers 1, 2 .. have where each applies what it receives itself; empty: what server 0 has.
  std::vector<Replica> others;
};

/// How far servers' copies are apart: root mean square over servers and parameters of the difference from their
/// mean, over that of the mean. 0 where there is one copy.
double copies_apart(const Learner& learner);

/// Full batches in the task's examples; the fewer than `batch` examples left over sit out this epoch (another
/// order, another few). The settings must be ones start_learner accepts.
int steps_per_epoch(const DataParallelSettings& settings, const LearningTask& task);

/// Length of the whole training in steps. The settings must be ones start_learner accepts.
std::uint32_t training_steps(const DataParallelSettings& settings, const LearningTask& task);

/// Which step the learner takes next.
StepContext next_step(const Learner& learner, const LearningTask& task);

/// The order in which an epoch takes the examples: a permutation drawn from (seed, epoch) alone.
std::vector<std::uint32_t> epoch_order(std::uint64_t seed, int epoch, std::size_t examples);

/// A learner before its first step. Throws Error unless settings make sense: 1 <= workers <= 1024, batch a
/// multiple of workers and no more than the examples, epochs >= 1, fewer than 2^31 steps in all; and as
/// validate_optimiser.
Learner start_learner(const DataParallelSettings& settings, const LearningTask& task);

/// What the servers hand to the network in one step.
struct WorkerGradients {
  double loss = 0.0;          ///< mean over the whole batch (nats)
  Eigen::MatrixXf gradients;  ///< (parameters, workers), each the mean over the worker's own share
};

/// The gradients of the learner's next step, which is not taken: worker w computes on examples
/// [w, w + 1) batch / workers of that step's batch. The workers run in parallel unless the caller is in a
/// parallel region already; the bits do not depend on how many threads there are. Throws Error where `task` is
/// not the one the learner was started with.
WorkerGradients worker_gradients(const Learner& learner, const LearningTask& task);

/// Takes one step of the settings' optimiser with aggregate(gradients), of every worker's own copy where each
/// receives one, and returns the batch's loss before it;
/// NaN where a gradient, their average or the parameters that would follow are no longer finite: the training
/// has diverged, and the learner is as it was. Throws Error as worker_gradients, and where the aggregate has
/// another length; the learner is then as it was, too.
double train_step(Learner& learner, const LearningTask& task, const Aggregator& aggregate);

}  // namespace optinc
