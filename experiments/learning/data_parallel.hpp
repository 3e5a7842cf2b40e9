#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <Eigen/Dense>

#include "experiments/learning/mlp.hpp"

namespace optinc {

/// How a learner is trained by synchronous data-parallel stochastic gradient descent.
struct DataParallelSettings {
  MlpShape shape;
  int workers = 4;  ///< servers, each with a copy of the parameters
  int batch = 256;  ///< images per step over all workers; a multiple of workers
  int epochs = 6;   ///< passes over the training images
  double learning_rate = 0.1;
  double momentum = 0.9;   ///< in [0, 1)
  std::uint64_t seed = 1;  ///< start values and order of the images
};

/// Turns the workers' gradients, shape (parameters, workers), into the one that all of them apply, shape
/// (parameters): exactly averaged, or sent through a network, or through the light.
using Aggregator = std::function<Eigen::VectorXf(const Eigen::MatrixXf& gradients)>;

/// The mean over the workers, summed in double from the first worker to the last.
Eigen::VectorXf exact_average(const Eigen::MatrixXf& gradients);

/// Where training stands. Every step is a pure function of this state and the images, so a copy of it continues
/// alike.
struct Learner {
  DataParallelSettings settings;
  Eigen::VectorXf parameters;
  Eigen::VectorXf velocity;          ///< (parameters), the momentum's running sum
  std::vector<std::uint32_t> order;  ///< images of this epoch, a permutation drawn from (seed, epoch) alone
  int epoch = 0;                     ///< epochs completed
  int step = 0;                      ///< next step of this epoch, 0 <= step < steps_per_epoch
};

/// Full batches in `train`; the fewer than `batch` images left over sit out this epoch (another order, another
/// few). The settings must be ones start_learner accepts.
int steps_per_epoch(const DataParallelSettings& settings, const ImageSet& train);

/// A learner before its first step. Throws Error unless settings make sense: 1 <= workers <= 1024, batch a
/// multiple of workers and no more than the images, epochs >= 1, learning rate > 0, momentum in [0, 1); and as
/// validate_images.
Learner start_learner(const DataParallelSettings& settings, const ImageSet& train);

/// What the servers hand to the network in one step.
struct WorkerGradients {
  double loss = 0.0;          ///< mean over the whole batch (nats)
  Eigen::MatrixXf gradients;  ///< (parameters, workers), each the mean over the worker's own share
};

/// The gradients of the learner's next step, which is not taken: worker w computes on images
/// [w, w + 1) batch / workers of that step's batch. The workers run in parallel; the bits do not depend on how
/// many threads there are. Throws Error where `train` is not the set the learner was started with.
WorkerGradients worker_gradients(const Learner& learner, const ImageSet& train);

/// Takes one step,  v <- momentum v + aggregate(gradients),  parameters <- parameters - learning_rate v,  and
/// returns the batch's loss before it. Throws Error as worker_gradients, and where the aggregate has another
/// length or is not finite; the learner is then as it was.
double train_step(Learner& learner, const ImageSet& train, const Aggregator& aggregate);

/// Takes the steps that are left of the current epoch; returns their losses.
std::vector<double> train_epoch(Learner& learner, const ImageSet& train, const Aggregator& aggregate);

/// What is known when an epoch ends.
struct LearnerEpoch {
  int epoch = 0;               ///< epochs completed
  double loss = 0.0;           ///< mean over the epoch's steps (nats)
  double test_accuracy = 0.0;  ///< 0..1
};

using LearnerProgress = std::function<void(const LearnerEpoch&)>;

struct LearnerResult {
  Eigen::VectorXf parameters;
  std::vector<double> losses;        ///< of each step's batch, before the step (nats)
  std::vector<LearnerEpoch> epochs;  ///< one per epoch
  double test_accuracy = 0.0;        ///< after the last epoch, 0..1
};

/// Trains from the beginning for settings.epochs epochs; calls `progress`, where there is one, after each.
/// Throws Error as start_learner and train_step.
LearnerResult train_data_parallel(const DataParallelSettings& settings, const ImageData& data,
                                  const Aggregator& aggregate, const LearnerProgress& progress = {});

}  // namespace optinc
