#include "experiments/learning/data_parallel.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <numeric>
#include <utility>

#include "physics/core/check.hpp"

namespace optinc {
namespace {

/// Fisher and Yates from the identity: the order of an epoch does not depend on the epochs before it.
std::vector<std::uint32_t> epoch_order(std::uint64_t seed, int epoch, std::size_t images) {
  Stream stream(seed, Purpose::learner_shuffle, 0, static_cast<std::uint32_t>(epoch));
  std::vector<std::uint32_t> order(images);
  std::iota(order.begin(), order.end(), 0u);
  for (std::size_t i = images; i > 1; --i) {
    std::swap(order[i - 1], order[stream.below(static_cast<std::uint32_t>(i))]);
  }
  return order;
}

}  // namespace

Eigen::VectorXf exact_average(const Eigen::MatrixXf& gradients) {
  validate(gradients.cols() >= 1, "no gradients to average (there are 0 workers). Pass at least one column.");
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(gradients.rows());
  for (Eigen::Index w = 0; w < gradients.cols(); ++w) sum += gradients.col(w).cast<double>();
  return (sum / static_cast<double>(gradients.cols())).cast<float>();
}

int steps_per_epoch(const DataParallelSettings& settings, const ImageSet& train) {
  return static_cast<int>(train.pixels.cols() / settings.batch);
}

Learner start_learner(const DataParallelSettings& settings, const ImageSet& train) {
  const DataParallelSettings& s = settings;
  validate(s.workers >= 1 && s.workers <= 1024, "{} workers (there are 1 to 1024). Choose 4.", s.workers);
  validate(s.batch >= s.workers && s.batch % s.workers == 0,
           "a batch of {} images for {} workers (each worker takes an equal share). Choose {}.", s.batch,
           s.workers, std::max(1, (s.batch + s.workers / 2) / s.workers) * s.workers);
  validate_images(s.shape, train.pixels, train.labels);
  validate(s.batch <= train.pixels.cols(),
           "a batch of {} from {} training images (not one step can be taken). Choose a smaller batch.",
           s.batch, train.pixels.cols());
  validate(s.epochs >= 1, "{} epochs (nothing would be learnt). Choose 1 or more.", s.epochs);
  validate(s.learning_rate > 0.0 && std::isfinite(s.learning_rate),
           "learning rate {} (it must be positive and finite). Choose 0.1.", s.learning_rate);
  validate(s.momentum >= 0.0 && s.momentum < 1.0,
           "momentum {} (steps shrink only for 0 <= momentum < 1). Choose 0.9.", s.momentum);

  Stream stream(s.seed, Purpose::learner_init);
  Learner learner{s, he_init(s.shape, stream), Eigen::VectorXf::Zero(s.shape.parameters()), {}, 0, 0};
  learner.order = epoch_order(s.seed, 0, train.labels.size());
  return learner;
}

WorkerGradients worker_gradients(const Learner& learner, const ImageSet& train) {
  const DataParallelSettings& s = learner.settings;
  const auto workers = static_cast<std::size_t>(s.workers), share = static_cast<std::size_t>(s.batch) / workers;
  validate(learner.order.size() == train.labels.size() && train.pixels.cols() == std::ssize(train.labels),
           "{} training images with {} labels for a learner that started on {} (its order of images would not "
           "fit). Pass the set it was started with.",
           train.pixels.cols(), train.labels.size(), learner.order.size());
  const std::size_t first = static_cast<std::size_t>(learner.step) * share * workers;

  WorkerGradients result{0.0, Eigen::MatrixXf(learner.parameters.size(), s.workers)};
  std::vector<double> losses(workers);
  std::vector<std::exception_ptr> failures(workers);  // an exception must not leave a parallel region
#pragma omp parallel for schedule(static)
  for (std::size_t w = 0; w < workers; ++w) {
    try {
      Eigen::MatrixXf pixels(train.pixels.rows(), static_cast<Eigen::Index>(share));
      std::vector<std::uint8_t> labels(share);
      for (std::size_t i = 0; i < share; ++i) {
        const std::uint32_t image = learner.order[first + w * share + i];
        pixels.col(static_cast<Eigen::Index>(i)) = train.pixels.col(image);
        labels[i] = train.labels[image];
      }
      const auto own = loss_and_gradient(s.shape, learner.parameters, pixels, labels);
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

double train_step(Learner& learner, const ImageSet& train, const Aggregator& aggregate) {
  const auto sent = worker_gradients(learner, train);
  const Eigen::VectorXf received = aggregate(sent.gradients);
  validate(received.size() == learner.parameters.size(),
           "the aggregator returned {} values (the network has {} parameters). Return one per row.",
           received.size(), learner.parameters.size());
  validate(received.allFinite(),
           "the averaged gradient is not finite in epoch {}, step {} (training diverged, or the aggregator "
           "failed). Lower the learning rate.",
           learner.epoch, learner.step);

  const DataParallelSettings& s = learner.settings;
  learner.velocity = static_cast<float>(s.momentum) * learner.velocity + received;
  learner.parameters -= static_cast<float>(s.learning_rate) * learner.velocity;
  if (++learner.step == steps_per_epoch(s, train)) {
    learner.step = 0;
    learner.order = epoch_order(s.seed, ++learner.epoch, learner.order.size());
  }
  return sent.loss;
}

std::vector<double> train_epoch(Learner& learner, const ImageSet& train, const Aggregator& aggregate) {
  std::vector<double> losses;
  const int epoch = learner.epoch;
  while (learner.epoch == epoch) losses.push_back(train_step(learner, train, aggregate));
  return losses;
}

LearnerResult train_data_parallel(const DataParallelSettings& settings, const ImageData& data,
                                  const Aggregator& aggregate, const LearnerProgress& progress) {
  Learner learner = start_learner(settings, data.train);
  validate_images(settings.shape, data.test.pixels, data.test.labels);  // now, not after an epoch of work
  LearnerResult result;
  for (int e = 0; e < settings.epochs; ++e) {
    const auto losses = train_epoch(learner, data.train, aggregate);
    result.losses.insert(result.losses.end(), losses.begin(), losses.end());
    const double mean = std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(losses.size());
    result.test_accuracy = accuracy(settings.shape, learner.parameters, data.test);
    result.epochs.push_back({learner.epoch, mean, result.test_accuracy});
    if (progress) progress(result.epochs.back());
  }
  result.parameters = std::move(learner.parameters);
  return result;
}

}  // namespace optinc
