#include "experiments/models/learning/resnet.hpp"

#include <cmath>
#include <cstdio>
#include <numeric>

#include "experiments/models/learning/group_norm.hpp"
#include "physics/core/check.hpp"

#include "tests/experiments/models/learning/central_difference.hpp"
#include "tests/experiments/models/learning/plain_networks.hpp"
#include "tests/experiments/models/learning/trained.hpp"
#include "tests/support/catch.hpp"

using namespace optinc;

namespace {

ImageSet noise_images(int height, int width, int channels, int count, int classes) {
  Stream stream(31, Purpose::test);
  ImageSet set;
  set.height = height;
  set.width = width;
  set.channels = channels;
  set.pixels.resize(height * width * channels, count);
  for (float& x : set.pixels.reshaped()) x = static_cast<float>(stream.uniform());
  for (int i = 0; i < count; ++i)
    set.labels.push_back(static_cast<std::uint8_t>(stream.below(static_cast<std::uint32_t>(classes))));
  return set;
}

std::vector<std::uint32_t> first(std::uint32_t count) {
  std::vector<std::uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0u);
  return numbers;
}

/// Start values with every gain and bias moved off its one or zero.
Eigen::VectorXd somewhere(const ResNetShape& shape) {
  Stream stream(32, Purpose::test);
  Eigen::VectorXd p = resnet_start(shape, stream).cast<double>();
  for (double& x : p) x += 0.1 * stream.normal();
  return p;
}

/// Channels of image `n` of a map of lanes.
Planes planes_of(const MatrixOf<double>& map, int height, int width, int n) {
  Planes planes(static_cast<std::size_t>(map.cols()), Eigen::MatrixXd(height, width));
  for (std::size_t c = 0; c < planes.size(); ++c)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        planes[c](y, x) = map((y * width + x) * lanes + n, static_cast<Eigen::Index>(c));
  return planes;
}

}  // namespace

// Fails when the padding is one pixel off (`first` in lines_of_tap rounded down) or dx and dy are exchanged.
TEST_CASE("a convolution is the sum over its window") {
  const int kernel = GENERATE(1, 3), stride = GENERATE(1, 2), height = GENERATE(1, 4, 7),
            width = GENERATE(2, 5);
  const LaneConv conv{2, 3, kernel, stride, height, width};
  Stream stream(33, Purpose::test);
  MatrixOf<double> input(height * width * lanes, 2), columns, output;
  for (double& x : input.reshaped()) x = stream.normal();
  std::vector<double> weights(static_cast<std::size_t>(conv.weights()));
  for (double& w : weights) w = stream.normal();
  lane_conv(conv, weights.data(), input, columns, output);
  REQUIRE(output.rows() == conv.out_height() * conv.out_width() * lanes);
  for (const int n : {0, 7, 15}) {
    const Planes found = planes_of(output, conv.out_height(), conv.out_width(), n);
    const Planes plain = plain_conv(planes_of(input, height, width, n), weights.data(), 3, kernel, stride);
    for (std::size_t k = 0; k < 3; ++k) CHECK((found[k] - plain[k]).cwiseAbs().maxCoeff() < 1e-13);
  }
}

// the network is written out in plain_networks.hpp. Fails when a stride, the groups, the order of norm, ReLU
// and shortcut or the mean over the pixels is another
TEST_CASE("the residual network is what its definition says") {
  const ResNetShape shape{9, 11, 3, 4, 3, 2, 5};
  const ImageSet set = noise_images(9, 11, 3, 19, 5);
  const Eigen::VectorXd p = somewhere(shape);
  double loss = 0.0;
  for (std::size_t i = 0; i < 19; ++i) {
    Planes image(3, Eigen::MatrixXd(9, 11));
    for (int c = 0; c < 3; ++c)
      for (int y = 0; y < 9; ++y)
        for (int x = 0; x < 11; ++x)
          image[static_cast<std::size_t>(c)](y, x) =
              static_cast<double>(set.pixels((c * 9 + y) * 11 + x, static_cast<Eigen::Index>(i)));
    const Eigen::VectorXd z = plain_resnet(shape, p, image);
    loss += std::log(z.array().exp().sum()) - z[set.labels[i]];
  }
  CHECK(resnet_loss<double>(shape, p, set, first(19), nullptr).loss == Approx(loss).epsilon(1e-12));
}

// Fails when group_norm_backward forgets either mean, or a shortcut's gradient is dropped.
TEST_CASE("the residual network's gradient is the loss's derivative") {
  // Odd sides, a stride, colours, and 19 images: a full set of lanes and one that is not.
  const ResNetShape shape{7, 6, 2, 4, 2, 2, 3};
  const ImageSet set = noise_images(7, 6, 2, 19, 3);
  const auto images = first(19);
  const Eigen::VectorXd p = somewhere(shape);
  REQUIRE(p.size() == shape.parameters());
  Eigen::VectorXd gradient;
  resnet_loss<double>(shape, p, set, images, &gradient);
  // A ReLU's kink may lie within h of a point, so h is small: rounding 1e-16 / 1e-6 remains.
  check_derivative(
      [&](const Eigen::VectorXd& at) {
        return resnet_loss<double>(shape, at, set, images, nullptr).loss / 19.0;
      },
      p, gradient, 1e-6, 1e-7);

  const Eigen::VectorXd once = gradient;
  resnet_loss<double>(shape, p, set, images, &gradient);
  CHECK(gradient == once);  // nothing is left of what the vector held

  // In float the same, to the rounding of sums over some hundred terms.
  const Eigen::VectorXf pf = p.cast<float>();
  Eigen::VectorXf single;
  resnet_loss<float>(shape, pf, set, images, &single);
  CHECK((single.cast<double>() - gradient).norm() < 1e-4 * gradient.norm());
}

// Fails when the variance is taken without its mean, or over all lanes together.
TEST_CASE("group norm forgets scale and offset of each group and image") {
  Stream stream(34, Purpose::test);
  MatrixOf<double> map(9 * lanes, 4);
  for (double& x : map.reshaped()) x = stream.normal();
  MatrixOf<double> other = map;
  other.leftCols(2) = 1000.0 * other.leftCols(2).array() + 300.0;
  const std::vector<double> gain_and_bias{1.0, 2.0, 0.5, -1.0, 0.0, 1.0, 0.0, 3.0};
  GroupNormWork<double> work;
  group_norm(2, gain_and_bias.data(), map, work);
  group_norm(2, gain_and_bias.data(), other, work);
  // 1e-5 beside a variance of about one changes a value by half of that; values and gains multiply it by ten.
  CHECK((map - other).cwiseAbs().maxCoeff() < 1e-4);
  for (int n = 0; n < lanes; ++n) {  // each image by itself: mean 0 and variance 1 over pixels and channels
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < 9; ++i)
      for (int c = 0; c < 2; ++c) {
        const double x = work.normal(i * lanes + n, c);
        sum += x;
        squares += x * x;
      }
    CHECK(std::abs(sum) < 1e-9);
    CHECK(squares == Approx(18.0).epsilon(1e-9));
  }
}

// Fails when a lane without an image counts, or when images of one chunk see each other.
TEST_CASE("an image's loss does not depend on its company") {
  const ResNetShape shape{8, 8, 1, 4, 3, 2, 5};
  const ImageSet set = noise_images(8, 8, 1, 21, 5);
  const Eigen::VectorXd p = somewhere(shape);
  double alone = 0.0;
  for (std::uint32_t i = 0; i < 21; ++i)
    alone += resnet_loss<double>(shape, p, set, std::vector<std::uint32_t>{i}, nullptr).loss;
  CHECK(resnet_loss<double>(shape, p, set, first(21), nullptr).loss == Approx(alone).epsilon(1e-12));
}

TEST_CASE("a residual network's head that is zero gives every class the same chance") {
  const ResNetShape shape{8, 8, 1, 4, 3, 2, 5};
  Eigen::VectorXd p = somewhere(shape);
  p.tail(5 * (16 + 1)).setZero();
  const double loss = resnet_loss<double>(shape, p, noise_images(8, 8, 1, 20, 5), first(20), nullptr).loss / 20;
  CHECK(loss == Approx(std::log(5.0)).epsilon(1e-12));
}

TEST_CASE("the residual network has the parameters that its layers add up to") {
  // stem 9 16 + 32; stage 16: 2 (9 16 16 + 32); 32: 9 16 32 + 9 32 32 + 128 + 16 32; 64: the same, four times
  // and twice; head 650
  CHECK(ResNetShape{}.parameters() ==
        176 + 4672 + (4608 + 9216 + 128 + 512) + (18432 + 36864 + 256 + 2048) + 650);
}

// variance of n squared normals: relative deviation sqrt(2 / n), 5 of them. Fails when a fan-in is that of
// another layer, or the last layer starts as the others
TEST_CASE("the residual network starts as He et al. say, gains one and biases zero") {
  const ResNetShape shape;
  Stream stream(1, Purpose::learner_init);
  const Eigen::VectorXd p = resnet_start(shape, stream).cast<double>();
  const auto variance = [&](Eigen::Index at, Eigen::Index count, double expected) {
    CAPTURE(at, count);
    CHECK(p.segment(at, count).squaredNorm() / static_cast<double>(count) ==
          Approx(expected).epsilon(5 * std::sqrt(2.0 / static_cast<double>(count))));
  };
  variance(0, 9 * 16, 2.0 / 9);
  CHECK(p.segment(144, 16).isOnes(0.0));
  CHECK(p.segment(160, 16).isZero(0.0));
  variance(176, 9 * 16 * 16, 2.0 / (9 * 16));
  variance(176 + 4672, 9 * 16 * 32, 2.0 / (9 * 16));
  variance(176 + 4672 + 4608 + 64 + 9216 + 64, 16 * 32, 2.0 / 16);  // the first shortcut
  variance(p.size() - 650, 640, 1.0 / 64);
  CHECK(p.tail(10).isZero(0.0));
}

// 700 images, computed 320 at a time. Fails when some are left out, or counted twice
TEST_CASE("the residual network is judged on every test image") {
  const ResNetShape shape{8, 8, 1, 4, 2, 2, 5};
  const auto data =
      std::make_shared<const ImageData>(ImageData{noise_images(8, 8, 1, 4, 5), noise_images(8, 8, 1, 700, 5)});
  const Eigen::VectorXf p = somewhere(shape).cast<float>();
  const Evaluation found = resnet_task(shape, data).evaluate(p);
  double loss = 0.0, right = 0.0;
  for (std::uint32_t i = 0; i < 700; ++i) {
    const ResNetSums one = resnet_loss<float>(shape, p, data->test, std::vector<std::uint32_t>{i}, nullptr);
    loss += one.loss;
    right += static_cast<double>(one.right);
  }
  CHECK(found.loss == Approx(loss / 700).epsilon(1e-6));
  CHECK(found.accuracy == right / 700);
}

// Fails when a worker's buffers are shared between threads.
TEST_CASE("the residual network learns, the same bits on one thread and on two") {
  ImageData data{noise_images(8, 8, 3, 256, 3), {}};
  for (std::size_t i = 0; i < 256; ++i)  // the class is the colour that is bright
    data.train.pixels.col(static_cast<Eigen::Index>(i)).segment(64 * data.train.labels[i], 64).array() += 0.5f;
  data.test = data.train;
  const LearningTask task = resnet_task({8, 8, 3, 8, 2, 2, 3}, std::make_shared<const ImageData>(data));
  DataParallelSettings s;
  s.batch = 64;
  s.epochs = 5;
  s.optimiser.rule = OptimiserRule::adamw;
  s.optimiser.learning_rate = 0.01;
  const Trained one = trained_on(1, s, task), two = trained_on(2, s, task);
  CHECK(one.learner.parameters == two.learner.parameters);
  CHECK(one.test.loss == two.test.loss);
  CHECK(one.test.accuracy > 0.95);
}

TEST_CASE("a residual network and its images must fit") {
  const auto data =
      std::make_shared<const ImageData>(ImageData{noise_images(8, 8, 1, 4, 3), noise_images(8, 8, 1, 4, 3)});
  const ResNetShape good{8, 8, 1, 4, 2, 2, 3};
  CHECK_NOTHROW(resnet_task(good, data));
  const auto refused = [&](auto change) {
    ResNetShape shape = good;
    change(shape);
    CHECK_THROWS_AS(resnet_task(shape, data), Error);
  };
  refused([](auto& s) { s.height = 9; });
  refused([](auto& s) { s.channels = 3; });
  refused([](auto& s) { s.base = 5; });
  refused([](auto& s) { s.groups = 0; });
  refused([](auto& s) { s.stages = 0; });
  refused([](auto& s) { s.classes = 2; });
  const LearningTask task = resnet_task(good, data);
  const Eigen::VectorXf p = Eigen::VectorXf::Zero(task.parameters);
  CHECK_THROWS_AS(task.gradient(p, std::vector<std::uint32_t>{4}), Error);
  CHECK_THROWS_AS(task.gradient(p, std::vector<std::uint32_t>{}), Error);
  CHECK_THROWS_AS(task.gradient(p.head(3), std::vector<std::uint32_t>{0}), Error);
  CHECK_THROWS_AS(task.evaluate(p.head(3)), Error);
}
