#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include <Eigen/Dense>

#include "physics/random/stream.hpp"

namespace optinc {

/// Loss over some examples and its derivative.
struct LossAndGradient {
  double loss = 0.0;         ///< mean over the examples (nats)
  Eigen::VectorXf gradient;  ///< d loss / d parameters, shape (parameters)
};

/// What a model is worth on examples it was never trained on.
struct Evaluation {
  double loss = 0.0;      ///< mean over the test examples (nats)
  double accuracy = 0.0;  ///< share of right answers, 0..1; NaN where it has no meaning
};

/// A model bound to its data, so that what trains it knows neither. The three functions may be called from many
/// threads at once and give the same bits on any number of them; copies share the data. They throw Error for a
/// parameter vector of another length and for examples that there are not.
struct LearningTask {
  std::string name;                               ///< short, as in a result file: "mlp"
  std::string shape;                              ///< for people: "784-128-10"
  Eigen::Index parameters = 0;                    ///< length of the one flat parameter vector
  std::uint32_t examples = 0;                     ///< to train on, numbered from 0
  std::function<Eigen::VectorXf(Stream&)> start;  ///< parameters before the first step
  /// Mean loss over the examples of these numbers and its gradient.
  std::function<LossAndGradient(const Eigen::VectorXf&, std::span<const std::uint32_t>)> gradient;
  std::function<Evaluation(const Eigen::VectorXf&)> evaluate;  ///< on the test set
};

}  // namespace optinc
