#include "experiments/models/learning/optimiser.hpp"

#include <cmath>
#include <numbers>

#include "physics/core/check.hpp"

namespace optinc {
namespace {

void validate_forgetting(const char* name, double value) {
  validate(value >= 0.0 && value < 1.0, "{} {} (the past fades only for 0 <= {} < 1). Choose 0.9.", name, value,
           name);
}

}  // namespace

void validate_optimiser(const OptimiserSettings& s) {
  validate(s.learning_rate > 0.0 && std::isfinite(s.learning_rate),
           "learning rate {} (it must be positive and finite). Choose 0.1.", s.learning_rate);
  validate_forgetting("momentum", s.momentum);
  validate_forgetting("beta1", s.beta1);
  validate_forgetting("beta2", s.beta2);
  validate(s.epsilon > 0.0 && std::isfinite(s.epsilon),
           "epsilon {} (it must be positive and finite). Choose 1e-8.", s.epsilon);
  validate(s.weight_decay >= 0.0 && std::isfinite(s.weight_decay),
           "weight decay {} (it must be 0 or more, and finite). Choose 0.01, or 0 for none.", s.weight_decay);
  validate(s.final_share >= 0.0 && s.final_share <= 1.0,
           "a final share {} of the learning rate (it goes from 0 to 1). Choose 0.1.", s.final_share);
  validate(s.largest_norm >= 0.0 && std::isfinite(s.largest_norm),
           "gradients clipped to norm {} (it must be 0 or more, and finite). Choose 1, or 0 for no clipping.",
           s.largest_norm);
}

Moments start_moments(const OptimiserSettings& settings, Eigen::Index parameters) {
  return {Eigen::VectorXf::Zero(parameters),
          Eigen::VectorXf::Zero(settings.rule == OptimiserRule::adamw ? parameters : 0)};
}

double learning_rate_at(const OptimiserSettings& s, std::uint32_t step, std::uint32_t steps) {
  if (step < s.warm_up_steps) return s.learning_rate * (step + 1.0) / s.warm_up_steps;
  if (s.schedule == RateSchedule::constant) return s.learning_rate;
  // Whoever trains on beyond the end stays at the final rate.
  const double done =
      step < steps ? static_cast<double>(step - s.warm_up_steps) / (steps - s.warm_up_steps) : 1.0;
  const double fall = 0.5 * (1.0 + std::cos(std::numbers::pi * done));
  return s.learning_rate * (s.final_share + (1.0 - s.final_share) * fall);
}

void apply_gradient(const OptimiserSettings& s, double rate, std::uint32_t step,
                    const Eigen::VectorXf& gradient, Moments& moments, Eigen::VectorXf& parameters) {
  double scale = 1.0;
  if (s.largest_norm > 0.0) {
    const double norm = gradient.cast<double>().norm();
    if (norm > s.largest_norm) scale = s.largest_norm / norm;
  }
  const Eigen::VectorXf g = static_cast<float>(scale) * gradient;
  if (s.weight_decay > 0.0) parameters *= static_cast<float>(1.0 - rate * s.weight_decay);
  if (s.rule == OptimiserRule::sgd) {
    moments.first = static_cast<float>(s.momentum) * moments.first + g;
    parameters -= static_cast<float>(rate) * moments.first;
    return;
  }
  const auto b1 = static_cast<float>(s.beta1), b2 = static_cast<float>(s.beta2);
  // 1 - b in double: 1 - 0.999f in float is off by 5e-5 of itself.
  const auto c1 = static_cast<float>(1.0 - s.beta1), c2 = static_cast<float>(1.0 - s.beta2);
  moments.first = b1 * moments.first + c1 * g;
  moments.second = b2 * moments.second + c2 * g.cwiseAbs2();
  const auto rate1 = static_cast<float>(rate / (1.0 - std::pow(s.beta1, step + 1.0)));
  const auto bias2 = static_cast<float>(1.0 / (1.0 - std::pow(s.beta2, step + 1.0)));
  parameters.array() -=
      rate1 * moments.first.array() / ((bias2 * moments.second.array()).sqrt() + static_cast<float>(s.epsilon));
}

}  // namespace optinc
