#include "experiments/models/learning/data_parallel.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include <omp.h>

#include "physics/core/check.hpp"

namespace optinc {
namespace {

/// Mean of the copies' parameters, summed in double.
Eigen::VectorXf mean_of(const std::vector<Replica>& copies) {
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(copies.front().parameters.size());
  for (const Replica& copy : copies) sum += copy.parameters.cast<double>();
  return (sum / static_cast<double>(copies.size())).cast<float>();
}

}  // namespace

double copies_apart(const Learner& learner) {
  if (learner.others.empty()) return 0.0;
  std::vector<Replica> copies = learner.others;
  copies.push_back({learner.parameters, {}});
  const Eigen::VectorXf mean = mean_of(copies);
  double squares = 0.0;
  for (const Replica& copy : copies) squares += (copy.parameters - mean).cast<double>().squaredNorm();
  return std::sqrt(squares / static_cast<double>(copies.size()) / mean.cast<double>().squaredNorm());
}

Eigen::VectorXf exact_average(const Eigen::MatrixXf& gradients) {
  validate(gradients.cols() >= 1, "no gradients to average (there are 0 workers). Pass at least one column.");
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(gradients.rows());
  for (Eigen::Index w = 0; w < gradients.cols(); ++w) sum += gradients.col(w).cast<double>();
  return (sum / static_cast<double>(gradients.cols())).cast<float>();
}

std::vector<std::uint32_t> epoch_order(std::uint64_t seed, int epoch, std::size_t examples) {
  // Fisher and Yates from the identity: the order of an epoch does not depend on the epochs before it.
  Stream stream(seed, Purpose::learner_shuffle, 0, static_cast<std::uint32_t>(epoch));
  std::vector<std::uint32_t> order(examples);
  std::iota(order.begin(), order.end(), 0u);
  for (std::size_t i = examples; i > 1; --i) {
    std::swap(order[i - 1], order[stream.below(static_cast<std::uint32_t>(i))]);
  }
  return order;
}

int steps_per_epoch(const DataParallelSettings& settings, const LearningTask& task) {
  return static_cast<int>(task.examples / static_cast<std::uint32_t>(settings.batch));
}

std::uint32_t training_steps(const DataParallelSettings& settings, const LearningTask& task) {
  if (settings.steps > 0) return settings.steps;
  return static_cast<std::uint32_t>(settings.epochs) *
         static_cast<std::uint32_t>(steps_per_epoch(settings, task));
}

StepContext next_step(const Learner& learner, const LearningTask& task) {
  const auto before = static_cast<std::uint32_t>(learner.epoch) *
                      static_cast<std::uint32_t>(steps_per_epoch(learner.settings, task));
  return {learner.settings.seed, before + static_cast<std::uint32_t>(learner.step), learner.epoch};
}

Learner start_learner(const DataParallelSettings& settings, const LearningTask& task) {
  const DataParallelSettings& s = settings;
  validate(s.workers >= 1 && s.workers <= 1024, "{} workers (there are 1 to 1024). Choose 4.", s.workers);
  validate(s.batch >= s.workers && s.batch % s.workers == 0,
           "a batch of {} examples for {} workers (each worker takes an equal share). Choose {}.", s.batch,
           s.workers, std::max(1, (s.batch + s.workers / 2) / s.workers) * s.workers);
  validate(static_cast<std::uint32_t>(s.batch) <= task.examples,
           "a batch of {} from {} training examples (not one step can be taken). Choose a smaller batch.",
           s.batch, task.examples);
  validate(s.epochs >= 1, "{} epochs (nothing would be learnt). Choose 1 or more.", s.epochs);
  const double steps =
      s.steps > 0 ? static_cast<double>(s.steps) : static_cast<double>(s.epochs) * steps_per_epoch(s, task);
  validate(steps < std::numeric_limits<std::int32_t>::max(),
           "a training of {:.4g} steps (at most 2^31 - 1 are counted). Train for fewer epochs.", steps);
  validate_optimiser(s.optimiser);

  Stream stream(s.seed, Purpose::learner_init);
  Eigen::VectorXf parameters = task.start(stream);
  Moments moments = start_moments(s.optimiser, parameters.size());
  return {s, std::move(parameters), std::move(moments), epoch_order(s.seed, 0, task.examples), 0, 0, {}};
}

WorkerGradients worker_gradients(const Learner& learner, const LearningTask& task) {
  const DataParallelSettings& s = learner.settings;
  const auto workers = static_cast<std::size_t>(s.workers), share = static_cast<std::size_t>(s.batch) / workers;
  validate(learner.order.size() == task.examples && learner.parameters.size() == task.parameters,
           "a task of {} examples and {} parameters for a learner that started on {} and {} (its order of "
           "examples would not fit). Pass the task it was started with.",
           task.examples, task.parameters, learner.order.size(), learner.parameters.size());
  const std::span<const std::uint32_t> batch =
      std::span(learner.order)
          .subspan(static_cast<std::size_t>(learner.step) * share * workers, share * workers);

  WorkerGradients result{0.0, Eigen::MatrixXf(learner.parameters.size(), s.workers)};
  std::vector<double> losses(workers);
  std::vector<std::exception_ptr> failures(workers);  // an exception must not leave a parallel region
#pragma omp parallel for schedule(dynamic) if (!omp_in_parallel())
  for (std::size_t w = 0; w < workers; ++w) {
    try {
      const auto own = task.gradient(
          w == 0 || learner.others.empty() ? learner.parameters : learner.others[w - 1].parameters,
          batch.subspan(w * share, share));
      losses[w] = own.loss;
      result.gradients.col(static_cast<Eigen::Index>(w)) = own.gradient;
    } catch (...) {
      failures[w] = std::current_exception();
    }
  }
  for (const auto& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
  result.loss = std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(workers);
  return result;
}

double train_step(Learner& learner, const LearningTask& task, const Aggregator& aggregate) {
  constexpr double diverged = std::numeric_limits<double>::quiet_NaN();
  const auto sent = worker_gradients(learner, task);
  if (!sent.gradients.allFinite()) return diverged;  // no code stands for it
  const StepContext context = next_step(learner, task);
  const Eigen::MatrixXf received = aggregate(sent.gradients, context);
  const DataParallelSettings& s = learner.settings;
  validate(
      received.rows() == learner.parameters.size() && (received.cols() == 1 || received.cols() == s.workers),
      "the aggregator returned {} x {} values (the network has {} parameters, on {} servers). Return one "
      "per row, for all servers or for each.",
      received.rows(), received.cols(), learner.parameters.size(), s.workers);
  if (!received.allFinite()) return diverged;

  std::vector<Replica> copies = learner.others;
  copies.resize(static_cast<std::size_t>(received.cols() - 1), {learner.parameters, learner.moments});
  copies.insert(copies.begin(), {learner.parameters, learner.moments});
  const double rate = learning_rate_at(s.optimiser, context.step, training_steps(s, task));
  for (std::size_t n = 0; n < copies.size(); ++n) {
    apply_gradient(s.optimiser, rate, context.step, received.col(static_cast<Eigen::Index>(n)),
                   copies[n].moments, copies[n].parameters);
    if (!copies[n].parameters.allFinite()) return diverged;
  }
  if (s.equalise_every > 0 && (context.step + 1) % static_cast<std::uint32_t>(s.equalise_every) == 0) {
    const Eigen::VectorXf mean = mean_of(copies);
    for (Replica& copy : copies) copy.parameters = mean;
  }
  learner.parameters = std::move(copies.front().parameters);
  learner.moments = std::move(copies.front().moments);
  copies.erase(copies.begin());
  learner.others = std::move(copies);
  if (++learner.step == steps_per_epoch(s, task)) {
    learner.step = 0;
    learner.order = epoch_order(s.seed, ++learner.epoch, learner.order.size());
  }
  return sent.loss;
}

}  // namespace optinc
