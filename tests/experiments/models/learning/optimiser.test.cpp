#include "experiments/models/learning/optimiser.hpp"

#include <cmath>

#include "tests/support/catch.hpp"

using namespace optinc;

// Fails when the bias is not corrected, when epsilon stands under the root, or the decay is coupled.
TEST_CASE("AdamW's first steps are those worked by hand") {
  OptimiserSettings s;
  s.rule = OptimiserRule::adamw;
  s.beta1 = 0.5;
  s.beta2 = 0.75;
  s.epsilon = 0.25;
  s.weight_decay = 0.5;
  Moments moments = start_moments(s, 1);
  Eigen::VectorXf p = Eigen::VectorXf::Constant(1, 1.0f);
  apply_gradient(s, 0.1, 0, Eigen::VectorXf::Constant(1, 2.0f), moments, p);
  // m / (1 - b1) = 2, v / (1 - b2) = 4:  0.95 - 0.1 2 / (2 + 0.25)
  double expected = 0.95 - 0.2 / 2.25;
  CHECK(p[0] == Approx(expected).epsilon(1e-6));
  apply_gradient(s, 0.1, 1, Eigen::VectorXf::Constant(1, -1.0f), moments, p);
  // m = 0.5 1 - 0.5 = 0, v = 0.75 1 + 0.25 = 1: only the decay is left
  expected *= 0.95;
  CHECK(p[0] == Approx(expected).epsilon(1e-6));
  apply_gradient(s, 0.1, 2, Eigen::VectorXf::Constant(1, 1.0f), moments, p);
  // m = 0.5, m^ = 0.5 / 0.875;  v = 1, v^ = 1 / (1 - 0.421875)
  expected = 0.95 * expected - 0.1 * (0.5 / 0.875) / (std::sqrt(1.0 / 0.578125) + 0.25);
  CHECK(p[0] == Approx(expected).epsilon(1e-6));
}

// Fails when momentum averages gradients, or the decay is left to adamw
TEST_CASE("Gradient descent's first steps are those worked by hand") {
  OptimiserSettings s;
  s.momentum = 0.5;
  s.weight_decay = 0.5;
  Moments moments = start_moments(s, 1);
  Eigen::VectorXf p = Eigen::VectorXf::Constant(1, 1.0f);
  apply_gradient(s, 0.1, 0, Eigen::VectorXf::Constant(1, 2.0f), moments, p);
  CHECK(p[0] == Approx(0.95 - 0.1 * 2.0));
  apply_gradient(s, 0.1, 1, Eigen::VectorXf::Constant(1, 1.0f), moments, p);
  CHECK(p[0] == Approx(0.95 * 0.75 - 0.1 * 2.0));  // v = 0.5 2 + 1
}

// Fails when each element is clipped by itself, or small gradients are scaled up.
TEST_CASE("a gradient is clipped to its norm") {
  OptimiserSettings s;
  s.largest_norm = 1.0;
  Moments moments = start_moments(s, 2);
  Eigen::VectorXf p = Eigen::VectorXf::Zero(2);
  apply_gradient(s, 1.0, 0, Eigen::Vector2f(3.0f, 4.0f), moments, p);
  CHECK(p[0] == Approx(-0.6));
  CHECK(p[1] == Approx(-0.8));
  moments = start_moments(s, 2);
  p.setZero();
  apply_gradient(s, 1.0, 0, Eigen::Vector2f(0.3f, 0.4f), moments, p);
  CHECK(p == Eigen::Vector2f(-0.3f, -0.4f));
}

// Fails when the warm-up begins at zero, or the cosine runs from the first step.
TEST_CASE("the learning rate warms up and falls along a cosine") {
  OptimiserSettings s;
  s.learning_rate = 2.0;
  CHECK(learning_rate_at(s, 99, 100) == 2.0);
  s.warm_up_steps = 4;
  CHECK(learning_rate_at(s, 0, 24) == 0.5);
  CHECK(learning_rate_at(s, 3, 24) == 2.0);
  CHECK(learning_rate_at(s, 23, 24) == 2.0);
  s.schedule = RateSchedule::cosine;
  s.final_share = 0.1;
  CHECK(learning_rate_at(s, 4, 24) == 2.0);
  CHECK(learning_rate_at(s, 14, 24) == Approx(1.1));
  CHECK(learning_rate_at(s, 24, 24) == Approx(0.2));
  CHECK(learning_rate_at(s, 1000, 24) == Approx(0.2));
}
