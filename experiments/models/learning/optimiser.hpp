#pragma once

#include <cstdint>

#include <Eigen/Dense>

namespace optinc {

/// The rule that turns a gradient into a step: stochastic gradient descent with momentum, or Adam with
/// decoupled weight decay (Loshchilov and Hutter 2019).
enum class OptimiserRule { sgd, adamw };

/// How the learning rate runs over a training: it stays, or falls along half a cosine (Loshchilov and Hutter
/// 2017). Either may begin with a linear warm-up.
enum class RateSchedule { constant, cosine };

/// How parameters follow gradients.
struct OptimiserSettings {
  OptimiserRule rule = OptimiserRule::sgd;
  double learning_rate = 0.1;  ///< the largest of the schedule
  double momentum = 0.9;       ///< of sgd, in [0, 1)
  double beta1 = 0.9;          ///< of adamw, in [0, 1)
  double beta2 = 0.999;        ///< of adamw, in [0, 1)
  double epsilon = 1e-8;       ///< of adamw, added to the root of the second moment
  double weight_decay = 0.0;   ///< share of every parameter taken away per step and unit of learning rate
  RateSchedule schedule = RateSchedule::constant;
  std::uint32_t warm_up_steps = 0;  ///< steps on which the rate grows to learning_rate
  double final_share = 0.0;         ///< of learning_rate, where the cosine ends
  double largest_norm = 0.0;        ///< a gradient of greater norm is scaled to this one; 0: never
};

/// Throws Error unless learning rate and epsilon are positive, momentum and betas in [0, 1), weight decay and
/// largest norm >= 0, the final share in [0, 1], and all of them finite.
void validate_optimiser(const OptimiserSettings& settings);

/// What the optimiser remembers from step to step.
struct Moments {
  Eigen::VectorXf first;   ///< (parameters), momentum's running sum v, or Adam's mean gradient m
  Eigen::VectorXf second;  ///< (parameters), Adam's mean squared gradient; empty for sgd
};

/// All zero, for so many parameters.
Moments start_moments(const OptimiserSettings& settings, Eigen::Index parameters);

/// The rate of step t = 0, 1 .. of a training of `steps`:
///   eta (t + 1) / W for t < W, the warm-up; after it eta, or
///   eta (f + (1 - f) (1 + cos(pi (t - W) / (steps - W))) / 2), f the final share.
double learning_rate_at(const OptimiserSettings& settings, std::uint32_t step, std::uint32_t steps);

/// Applies gradient g as step t = 0, 1 .. with rate eta. First g <- g min(1, largest_norm / ||g||), then
///   sgd:    v <- momentum v + g,  p <- (1 - eta lambda) p - eta v
///   adamw:  m <- b1 m + (1 - b1) g,  v <- b2 v + (1 - b2) g^2,
///           p <- (1 - eta lambda) p - eta (m / (1 - b1^(t+1))) / (sqrt(v / (1 - b2^(t+1))) + epsilon).
void apply_gradient(const OptimiserSettings& settings, double rate, std::uint32_t step,
                    const Eigen::VectorXf& gradient, Moments& moments, Eigen::VectorXf& parameters);

}  // namespace optinc
