#include "experiments/models/learning/mlp.hpp"

#include <cmath>

#include "experiments/models/learning/relative_error.hpp"
#include "physics/core/check.hpp"

#include "tests/experiments/models/learning/central_difference.hpp"
#include "tests/support/catch.hpp"

using namespace optinc;

namespace {

/// The loss by its definition, in double and element by element: shares no line with the code under test.
double naive_loss(const MlpShape& shape, const Eigen::VectorXd& p, const Eigen::MatrixXf& x,
                  const std::vector<std::uint8_t>& labels) {
  const Eigen::Index in = shape.inputs, hidden = shape.hidden, classes = shape.classes;
  double total = 0.0;
  for (Eigen::Index n = 0; n < x.cols(); ++n) {
    std::vector<double> h, z;
    for (Eigen::Index i = 0; i < hidden; ++i) {
      double sum = p[hidden * in + i];
      for (Eigen::Index j = 0; j < in; ++j) sum += p[j * hidden + i] * static_cast<double>(x(j, n));
      h.push_back(std::max(0.0, sum));
    }
    const Eigen::Index w2 = hidden * in + hidden, b2 = w2 + classes * hidden;
    double partition = 0.0;
    for (Eigen::Index c = 0; c < classes; ++c) {
      double sum = p[b2 + c];
      for (Eigen::Index i = 0; i < hidden; ++i) sum += p[w2 + i * classes + c] * h[static_cast<std::size_t>(i)];
      z.push_back(sum);
      partition += std::exp(sum);
    }
    total += std::log(partition) - z[labels[static_cast<std::size_t>(n)]];
  }
  return total / static_cast<double>(x.cols());
}

}  // namespace

TEST_CASE("the gradient is the loss's derivative") {
  const MlpShape shape{13, 9, 5};
  Stream stream(3, Purpose::test);
  Eigen::VectorXf parameters = he_init(shape, stream);
  for (float& p : parameters) p += 0.1f * static_cast<float>(stream.normal());  // biases too
  Eigen::MatrixXf pixels(shape.inputs, 21);
  for (float& x : pixels.reshaped()) x = static_cast<float>(stream.uniform());
  std::vector<std::uint8_t> labels(21);
  for (auto& label : labels) label = static_cast<std::uint8_t>(stream.below(5));

  const auto result = loss_and_gradient(shape, parameters, pixels, labels);
  const Eigen::VectorXd p = parameters.cast<double>();
  CHECK(result.loss == Approx(naive_loss(shape, p, pixels, labels)).epsilon(1e-6));

  // Differences of the double loss are good to 1e-16 / h = 1e-10, and no ReLU has its kink that near; what is
  // left is float's rounding, 2^-24 per operation over sums of some 20 terms.
  check_derivative([&](const Eigen::VectorXd& at) { return naive_loss(shape, at, pixels, labels); }, p,
                   result.gradient.cast<double>(), 1e-6, 2e-6);
}

TEST_CASE("large outputs do not overflow the softmax") {
  const MlpShape shape{1, 1, 2};
  Eigen::VectorXf parameters(6);
  parameters << 1.0f, 0.0f, 500.0f, -500.0f, 0.0f, 0.0f;  // z = (500, -500)
  const Eigen::MatrixXf pixel = Eigen::MatrixXf::Ones(1, 1);
  CHECK(loss_and_gradient(shape, parameters, pixel, std::vector<std::uint8_t>{0}).loss == 0.0);
  const auto wrong = loss_and_gradient(shape, parameters, pixel, std::vector<std::uint8_t>{1});
  CHECK(wrong.loss == Approx(1000.0));
  CHECK(wrong.gradient.allFinite());
}

TEST_CASE("He's start values have variance 2 / fan-in and no bias") {
  const MlpShape shape;  // 784-128-10
  CHECK(shape.parameters() == 101770);
  Stream stream(1, Purpose::learner_init);
  const Eigen::VectorXd p = he_init(shape, stream).cast<double>();
  const Eigen::Index w1 = 784 * 128, w2 = 1280;
  // The variance of n squared normals has relative deviation sqrt(2 / n); 5 of them.
  CHECK(p.head(w1).squaredNorm() / static_cast<double>(w1) ==
        Approx(2.0 / 784).epsilon(5 * std::sqrt(2.0 / 100352)));
  CHECK(p.segment(w1 + 128, w2).squaredNorm() / static_cast<double>(w2) ==
        Approx(2.0 / 128).epsilon(5 * std::sqrt(2.0 / 1280)));
  CHECK(p.segment(w1, 128).isZero(0.0));
  CHECK(p.tail(10).isZero(0.0));
}

TEST_CASE("accuracy counts every image once") {
  // z = (h, 1/2) with h = the pixel: class 0 above 1/2, class 1 below. 1201 images make two chunks and one
  // over.
  const MlpShape shape{1, 1, 2};
  Eigen::VectorXf parameters(6);
  parameters << 1.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.5f;
  ImageSet set{Eigen::MatrixXf(1, 1201), std::vector<std::uint8_t>(1201, 0), 1, 1};
  for (Eigen::Index i = 0; i < 1201; ++i) set.pixels(0, i) = i % 3 == 0 || i == 1200 ? 1.0f : 0.0f;
  CHECK(evaluate(shape, parameters, set).accuracy == 401.0 / 1201.0);
}

TEST_CASE("a network and its images must fit") {
  const MlpShape shape{4, 3, 2};
  const Eigen::VectorXf parameters = Eigen::VectorXf::Zero(shape.parameters());
  const Eigen::MatrixXf pixels = Eigen::MatrixXf::Zero(4, 2);
  using Labels = std::vector<std::uint8_t>;
  CHECK_NOTHROW(loss_and_gradient(shape, parameters, pixels, Labels{0, 1}));
  CHECK_THROWS_AS(loss_and_gradient(shape, parameters, pixels, Labels{0, 2}), Error);
  CHECK_THROWS_AS(loss_and_gradient(shape, parameters, pixels, Labels{0}), Error);
  CHECK_THROWS_AS(loss_and_gradient(shape, parameters, pixels.leftCols(0), Labels{}), Error);
  CHECK_THROWS_AS(loss_and_gradient(shape, parameters, pixels.topRows(3), Labels{0, 1}), Error);
  CHECK_THROWS_AS(loss_and_gradient(shape, parameters.head(5), pixels, Labels{0, 1}), Error);
  CHECK_THROWS_AS(evaluate(shape, parameters.head(5), ImageSet{pixels, {0, 1}, 2, 2}), Error);
  CHECK_THROWS_AS(validate_mlp({0, 3, 2}), Error);
  CHECK_THROWS_AS(validate_mlp({4, 3, 1}), Error);
  CHECK_THROWS_AS(validate_mlp({4, 3, 257}), Error);
}

TEST_CASE("relative error") {
  CHECK(relative_error(Eigen::Vector2f(3.0f, 0.0f), Eigen::Vector2f(3.0f, 4.0f)) == Approx(0.8));
  CHECK(relative_error(Eigen::Vector2f::Zero(), Eigen::Vector2f::Zero()) == 0.0);
  CHECK(std::isinf(relative_error(Eigen::Vector2f::Ones(), Eigen::Vector2f::Zero())));
  // 1e20 squared overflows float; the sum must be taken in double.
  CHECK(relative_error(Eigen::Vector2f(2e20f, 0.0f), Eigen::Vector2f(1e20f, 0.0f)) == Approx(1.0));
  CHECK_THROWS_AS(relative_error(Eigen::Vector2f::Ones(), Eigen::Vector3f::Ones()), Error);
}
