#include "experiments/learning/data_parallel.hpp"

#include <algorithm>
#include <limits>

#include <omp.h>

#include "experiments/learning/relative_error.hpp"
#include "physics/core/check.hpp"

#include "tests/support/catch.hpp"

using namespace optinc;

namespace {

/// Images of 4 x 4 pixels of noise with one bright one that tells the class.
ImageSet bright_pixels(int images, int classes, std::uint32_t trial) {
  Stream stream(11, Purpose::test, 0, trial);
  ImageSet set{Eigen::MatrixXf(16, images), std::vector<std::uint8_t>(static_cast<std::size_t>(images)), 4, 4};
  for (float& x : set.pixels.reshaped()) x = 0.5f * static_cast<float>(stream.uniform());
  for (int i = 0; i < images; ++i) {
    const auto label = static_cast<int>(stream.below(static_cast<std::uint32_t>(classes)));
    set.labels[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(label);
    set.pixels(3 * label, i) = 1.0f;
  }
  return set;
}

const MlpShape small{16, 12, 4};

DataParallelSettings settings_of(int workers, int batch, int epochs = 2) {
  return {small, workers, batch, epochs, 0.1, 0.9, 5};
}

/// Sets the number of threads for one scope.
struct Threads {
  explicit Threads(int n) { omp_set_num_threads(n); }
  ~Threads() { omp_set_num_threads(before); }
  int before = omp_get_max_threads();
};

}  // namespace

TEST_CASE("a learner learns a problem that can be learnt") {
  const ImageData data{bright_pixels(1000, 4, 0), bright_pixels(500, 4, 1)};
  std::vector<int> reported;
  const auto result = train_data_parallel(settings_of(4, 20), data, exact_average,
                                          [&](const LearnerEpoch& r) { reported.push_back(r.epoch); });
  CHECK(result.test_accuracy > 0.99);
  REQUIRE(result.losses.size() == 100);
  // Before the first step the learner knows nothing much: ln 4 = 1.39.
  CHECK(result.losses.front() > 1.0);
  CHECK(result.epochs.back().loss < 0.05);
  CHECK(reported == std::vector<int>{1, 2});
  CHECK(result.epochs.back().test_accuracy == accuracy(small, result.parameters, data.test));
}

TEST_CASE("four workers' exact average is one worker's gradient of the whole batch") {
  const ImageSet train = bright_pixels(300, 4, 0);
  Learner four = start_learner(settings_of(4, 64), train), one = start_learner(settings_of(1, 64), train);
  for (int step = 0; step < 3; ++step) train_step(four, train, exact_average);
  for (int step = 0; step < 3; ++step) train_step(one, train, exact_average);
  // Float rounding of sums over 64 images, carried through three steps.
  CHECK(relative_error(four.parameters, one.parameters) < 1e-6);
  four.parameters = one.parameters;
  const auto many = worker_gradients(four, train), whole = worker_gradients(one, train);
  REQUIRE(many.gradients.cols() == 4);
  REQUIRE(many.gradients.rows() == small.parameters());
  CHECK(relative_error(exact_average(many.gradients), whole.gradients.col(0)) < 1e-6);
  CHECK(many.loss == Approx(whole.loss).epsilon(1e-6));
  // The shares differ, so that the average is one of different things.
  CHECK(relative_error(many.gradients.col(0), many.gradients.col(3)) > 0.1);
}

TEST_CASE("training is the same bits on one thread and on two") {
  const ImageData data{bright_pixels(500, 4, 0), bright_pixels(1300, 4, 1)};
  const auto run = [&](int threads) {
    const Threads scope(threads);
    return train_data_parallel(settings_of(6, 48), data, exact_average);
  };
  const auto one = run(1), two = run(2);
  CHECK(one.parameters == two.parameters);
  CHECK(one.losses == two.losses);
  CHECK(one.test_accuracy == two.test_accuracy);
}

TEST_CASE("gradients asked for are those of the next step") {
  const ImageSet train = bright_pixels(100, 4, 0);
  Learner learner = start_learner(settings_of(2, 30), train);
  CHECK(steps_per_epoch(learner.settings, train) == 3);
  CHECK(train_epoch(learner, train, exact_average).size() == 3);
  CHECK(learner.epoch == 1);
  CHECK(learner.step == 0);

  const auto peeked = worker_gradients(learner, train);
  Eigen::MatrixXf seen;
  const double loss = train_step(learner, train, [&](const Eigen::MatrixXf& gradients) {
    seen = gradients;
    return exact_average(gradients);
  });
  CHECK(seen == peeked.gradients);
  CHECK(loss == peeked.loss);
  CHECK(learner.step == 1);
}

TEST_CASE("a step follows the momentum rule") {
  const ImageSet train = bright_pixels(100, 4, 0);
  Learner learner = start_learner(settings_of(2, 10), train);
  const Eigen::VectorXf start = learner.parameters;
  const auto ones = [](const Eigen::MatrixXf& g) -> Eigen::VectorXf { return Eigen::VectorXf::Ones(g.rows()); };
  train_step(learner, train, ones);
  train_step(learner, train, ones);
  // v = 1, then 1.9: 0.29 in all.
  CHECK((start - learner.parameters - Eigen::VectorXf::Constant(start.size(), 0.29f)).cwiseAbs().maxCoeff() <
        1e-6f);
}

TEST_CASE("each epoch shows every image once, in an order of its own that the seed decides") {
  const ImageSet train = bright_pixels(90, 4, 0);
  Learner learner = start_learner(settings_of(2, 30), train);
  const auto first = learner.order;
  train_epoch(learner, train, exact_average);
  auto second = learner.order;
  CHECK(first != second);
  std::sort(second.begin(), second.end());
  for (std::uint32_t i = 0; i < 90; ++i) CHECK(second[i] == i);
  CHECK(start_learner(settings_of(2, 30), train).order == first);
  auto other = settings_of(2, 30);
  other.seed = 6;
  CHECK(start_learner(other, train).order != first);
  CHECK(start_learner(other, train).parameters != start_learner(settings_of(2, 30), train).parameters);
}

TEST_CASE("exact average sums in double") {
  Eigen::MatrixXf g(1, 3);
  g << 1e8f, 1.0f, -1e8f;  // in float the 1 would be lost
  CHECK(exact_average(g)[0] == 1.0f / 3.0f);
  CHECK_THROWS_AS(exact_average(Eigen::MatrixXf(3, 0)), Error);
}

TEST_CASE("settings that make no sense are refused") {
  const ImageSet train = bright_pixels(100, 4, 0);
  const auto refused = [&](auto change) {
    auto settings = settings_of(4, 20);
    change(settings);
    CHECK_THROWS_AS(start_learner(settings, train), Error);
  };
  CHECK_NOTHROW(start_learner(settings_of(4, 20), train));
  CHECK_THROWS_WITH(start_learner(settings_of(3, 256), bright_pixels(300, 4, 0)),
                    "a batch of 256 images for 3 workers (each worker takes an equal share). Choose 255.");
  refused([](auto& s) { s.workers = 0; });
  refused([](auto& s) { s.batch = 0; });
  refused([](auto& s) { s.batch = 104; });
  refused([](auto& s) { s.epochs = 0; });
  refused([](auto& s) { s.learning_rate = 0.0; });
  refused([](auto& s) { s.learning_rate = std::numeric_limits<double>::infinity(); });
  refused([](auto& s) { s.momentum = 1.0; });
  refused([](auto& s) { s.momentum = -0.1; });
  refused([](auto& s) { s.shape.inputs = 17; });
  refused([](auto& s) { s.shape.classes = 3; });
}

TEST_CASE("a step that fails leaves the learner as it was") {
  ImageSet train = bright_pixels(100, 4, 0);
  Learner learner = start_learner(settings_of(2, 20), train);
  const Learner before = learner;
  const auto with = [&](Eigen::VectorXf g) { train_step(learner, train, [&](const auto&) { return g; }); };
  CHECK_THROWS_AS(with(Eigen::VectorXf::Zero(3)), Error);
  CHECK_THROWS_AS(with(Eigen::VectorXf::Constant(small.parameters(), std::numeric_limits<float>::quiet_NaN())),
                  Error);
  CHECK_THROWS_AS(train_step(learner, bright_pixels(101, 4, 0), exact_average), Error);
  train.labels.assign(100, 9);  // found by the workers, inside the parallel region
  CHECK_THROWS_AS(train_step(learner, train, exact_average), Error);
  CHECK(learner.parameters == before.parameters);
  CHECK(learner.velocity == before.velocity);
  CHECK(learner.step == before.step);
}
