#include "experiments/models/learning/data_parallel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "experiments/models/learning/mlp.hpp"
#include "experiments/models/learning/relative_error.hpp"
#include "physics/core/check.hpp"

#include "tests/experiments/models/learning/trained.hpp"
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
  DataParallelSettings s;
  s.workers = workers;
  s.batch = batch;
  s.epochs = epochs;
  s.seed = 5;
  return s;
}

LearningTask task_of(int images, int tests = 10, const MlpShape& shape = small) {
  return mlp_task(shape, std::make_shared<const ImageData>(
                             ImageData{bright_pixels(images, 4, 0), bright_pixels(tests, 4, 1)}));
}

}  // namespace

TEST_CASE("a learner learns a problem that can be learnt") {
  const LearningTask task = task_of(1000, 500);
  const Trained result = trained(settings_of(4, 20), task);
  CHECK(result.test.accuracy > 0.99);
  REQUIRE(result.losses.size() == 100);
  // Before the first step the learner knows nothing much: ln 4 = 1.39.
  CHECK(result.losses.front() > 1.0);
  CHECK(std::accumulate(result.losses.begin() + 50, result.losses.end(), 0.0) / 50 < 0.05);
  CHECK(result.learner.epoch == 2);
  CHECK(result.learner.step == 0);
  CHECK(result.test.accuracy == evaluate(small, result.learner.parameters, bright_pixels(500, 4, 1)).accuracy);
}

TEST_CASE("four workers' exact average is one worker's gradient of the whole batch") {
  const LearningTask task = task_of(300);
  Learner four = start_learner(settings_of(4, 64), task), one = start_learner(settings_of(1, 64), task);
  for (int step = 0; step < 3; ++step) train_step(four, task, average_exactly);
  for (int step = 0; step < 3; ++step) train_step(one, task, average_exactly);
  // Float rounding of sums over 64 images, carried through three steps.
  CHECK(relative_error(four.parameters, one.parameters) < 1e-6);
  four.parameters = one.parameters;
  const auto many = worker_gradients(four, task), whole = worker_gradients(one, task);
  REQUIRE(many.gradients.cols() == 4);
  REQUIRE(many.gradients.rows() == small.parameters());
  CHECK(relative_error(exact_average(many.gradients), whole.gradients.col(0)) < 1e-6);
  CHECK(many.loss == Approx(whole.loss).epsilon(1e-6));
  // The shares differ, so that the average is one of different things.
  CHECK(relative_error(many.gradients.col(0), many.gradients.col(3)) > 0.1);
}

TEST_CASE("training is the same bits on one thread and on two") {
  const LearningTask task = task_of(500, 1300);
  const Trained one = trained_on(1, settings_of(6, 48), task), two = trained_on(2, settings_of(6, 48), task);
  CHECK(one.learner.parameters == two.learner.parameters);
  CHECK(one.losses == two.losses);
  CHECK(one.test.accuracy == two.test.accuracy);
  CHECK(one.test.loss == two.test.loss);
}

TEST_CASE("gradients asked for are those of the next step") {
  const LearningTask task = task_of(100);
  Learner learner = start_learner(settings_of(2, 30), task);
  CHECK(steps_per_epoch(learner.settings, task) == 3);
  for (int step = 0; step < 3; ++step) train_step(learner, task, average_exactly);
  CHECK(learner.epoch == 1);
  CHECK(learner.step == 0);

  const auto peeked = worker_gradients(learner, task);
  Eigen::MatrixXf seen;
  const double loss = train_step(learner, task, [&](const Eigen::MatrixXf& gradients, const StepContext&) {
    seen = gradients;
    return exact_average(gradients);
  });
  CHECK(seen == peeked.gradients);
  CHECK(loss == peeked.loss);
  CHECK(learner.step == 1);
}

TEST_CASE("a step follows the momentum rule") {
  const LearningTask task = task_of(100);
  Learner learner = start_learner(settings_of(2, 10), task);
  const Eigen::VectorXf start = learner.parameters;
  const auto ones = [](const Eigen::MatrixXf& g, const StepContext&) -> Eigen::VectorXf {
    return Eigen::VectorXf::Ones(g.rows());
  };
  train_step(learner, task, ones);
  train_step(learner, task, ones);
  // v = 1, then 1.9: 0.29 in all.
  CHECK((start - learner.parameters - Eigen::VectorXf::Constant(start.size(), 0.29f)).cwiseAbs().maxCoeff() <
        1e-6f);
}

// Fails when a server applies another's average, gradients are those of server 0's copy, or copies are made
// equal a step late
TEST_CASE("servers that receive for themselves keep copies of their own") {
  const LearningTask task = task_of(100);
  DataParallelSettings settings = settings_of(2, 10);
  const auto own = [](const Eigen::MatrixXf& g, const StepContext& step) -> Eigen::MatrixXf {
    Eigen::MatrixXf received = exact_average(g).replicate(1, 2);
    if (step.step == 0) received.col(1).setOnes();
    return received;
  };
  Learner learner = start_learner(settings, task), alone = start_learner(settings, task);
  CHECK(copies_apart(learner) == 0.0);
  train_step(learner, task, own);
  train_step(alone, task, average_exactly);
  CHECK(learner.parameters == alone.parameters);
  REQUIRE(learner.others.size() == 1);
  CHECK(copies_apart(learner) > 0.0);
  const WorkerGradients apart = worker_gradients(learner, task), together = worker_gradients(alone, task);
  CHECK(apart.gradients.col(0) == together.gradients.col(0));
  CHECK(apart.gradients.col(1) != together.gradients.col(1));
  settings.equalise_every = 2;
  Learner equal = start_learner(settings, task);
  train_step(equal, task, own);
  CHECK(copies_apart(equal) > 0.0);
  train_step(equal, task, own);
  CHECK(copies_apart(equal) == 0.0);
}

TEST_CASE("each epoch shows every image once, in an order of its own that the seed decides") {
  const LearningTask task = task_of(90);
  Learner learner = start_learner(settings_of(2, 30), task);
  const auto first = learner.order;
  for (int step = 0; step < 3; ++step) train_step(learner, task, average_exactly);
  auto second = learner.order;
  CHECK(first != second);
  std::sort(second.begin(), second.end());
  for (std::uint32_t i = 0; i < 90; ++i) CHECK(second[i] == i);
  CHECK(start_learner(settings_of(2, 30), task).order == first);
  auto other = settings_of(2, 30);
  other.seed = 6;
  CHECK(start_learner(other, task).order != first);
  CHECK(start_learner(other, task).parameters != start_learner(settings_of(2, 30), task).parameters);
}

TEST_CASE("exact average sums in double") {
  Eigen::MatrixXf g(1, 3);
  g << 1e8f, 1.0f, -1e8f;  // in float the 1 would be lost
  CHECK(exact_average(g)[0] == 1.0f / 3.0f);
  CHECK_THROWS_AS(exact_average(Eigen::MatrixXf(3, 0)), Error);
}

TEST_CASE("settings that make no sense are refused") {
  const LearningTask task = task_of(100);
  const auto refused = [&](auto change) {
    auto settings = settings_of(4, 20);
    change(settings);
    CHECK_THROWS_AS(start_learner(settings, task), Error);
  };
  CHECK_NOTHROW(start_learner(settings_of(4, 20), task));
  CHECK_THROWS_WITH(start_learner(settings_of(3, 256), task_of(300)),
                    "a batch of 256 examples for 3 workers (each worker takes an equal share). Choose 255.");
  refused([](auto& s) { s.workers = 0; });
  refused([](auto& s) { s.batch = 0; });
  refused([](auto& s) { s.batch = 104; });
  refused([](auto& s) { s.epochs = 0; });
  refused([](auto& s) { s.optimiser.learning_rate = 0.0; });
  refused([](auto& s) { s.optimiser.learning_rate = std::numeric_limits<double>::infinity(); });
  refused([](auto& s) { s.optimiser.momentum = 1.0; });
  refused([](auto& s) { s.optimiser.momentum = -0.1; });
  refused([](auto& s) { s.optimiser.beta1 = 1.0; });
  refused([](auto& s) { s.optimiser.beta2 = -0.1; });
  refused([](auto& s) { s.optimiser.epsilon = 0.0; });
  refused([](auto& s) { s.optimiser.weight_decay = -1.0; });
  refused([](auto& s) { s.optimiser.final_share = 1.5; });
  refused([](auto& s) { s.optimiser.largest_norm = -1.0; });
  refused([](auto& s) { s.steps = 3'000'000'000u; });
  CHECK_THROWS_AS(task_of(10, 10, {17, 12, 4}), Error);
  CHECK_THROWS_AS(task_of(99, 99, {16, 12, 3}), Error);
}

TEST_CASE("a step that fails leaves the learner as it was") {
  const LearningTask task = task_of(100);
  Learner learner = start_learner(settings_of(2, 20), task);
  const Learner before = learner;
  const auto with = [&](Eigen::VectorXf g) {
    return train_step(learner, task, [&](const auto&, const auto&) { return g; });
  };
  CHECK_THROWS_AS(with(Eigen::VectorXf::Zero(3)), Error);
  // diverged: the average, what it would make of the parameters, or a gradient that no code stands for
  CHECK(
      std::isnan(with(Eigen::VectorXf::Constant(small.parameters(), std::numeric_limits<float>::quiet_NaN()))));
  learner.settings.optimiser.learning_rate = 100;
  CHECK(std::isnan(with(Eigen::VectorXf::Constant(small.parameters(), -std::numeric_limits<float>::max()))));
  LearningTask far_off = task;
  far_off.gradient = [&](const auto& parameters, const auto&) {
    return LossAndGradient{
        1.0, Eigen::VectorXf::Constant(parameters.size(), std::numeric_limits<float>::infinity())};
  };
  CHECK(std::isnan(train_step(learner, far_off, [](const auto&, const auto&) -> Eigen::VectorXf {
    throw Error("what is not finite was sent");
  })));
  CHECK_THROWS_AS(train_step(learner, task_of(101), average_exactly), Error);
  LearningTask broken = task;  // fails inside the parallel region
  broken.gradient = [](const auto&, const auto&) -> LossAndGradient { throw Error("broken"); };
  CHECK_THROWS_WITH(train_step(learner, broken, average_exactly), "broken");
  CHECK(learner.parameters == before.parameters);
  CHECK(learner.moments.first == before.moments.first);
  CHECK(learner.step == before.step);
}
