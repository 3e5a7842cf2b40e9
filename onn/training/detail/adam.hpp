#pragma once

#include <string>

#include "onn/training/checkpoint.hpp"

// Adam: the moments of a parameter array, and the step they make of a gradient.

namespace optinc::training {

using MatrixF = Eigen::MatrixXf;
using VectorF = Eigen::VectorXf;

inline constexpr float beta1 = 0.9f, beta2 = 0.999f, epsilon = 1e-8f;

/// Adam moments of one parameter array.
struct Moments {
  MatrixF first, second;
  /// All zero.
  explicit Moments(Eigen::Index rows = 0, Eigen::Index cols = 0)
      : first(MatrixF::Zero(rows, cols)), second(MatrixF::Zero(rows, cols)) {}

  /// The step -rate m / (sqrt(v) + eps) for gradient g; `rate` includes the bias corrections.
  MatrixF step(const MatrixF& g, float rate) {
    first = beta1 * first + (1 - beta1) * g;
    second = beta2 * second + (1 - beta2) * g.cwiseAbs2();
    return -rate * (first.array() / (second.array().sqrt() + epsilon)).matrix();
  }
};

/// Names both moments in the state of a training.
void name_arrays(StateArrays& arrays, const std::string& name, Moments& moments);

/// The step size of Adam number `step` (from 1), its bias corrections included.
float adam_rate(double learning_rate, long step);

}  // namespace optinc::training
