#include "experiments/models/learning/learner_file.hpp"

#include "experiments/models/learning/mlp.hpp"
#include "physics/core/check.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/scratch.hpp"

using namespace optinc;

namespace {

LearningTask noise_task(int images = 70) {
  Stream stream(51, Purpose::test);
  ImageSet set{Eigen::MatrixXf(6, images), {}, 2, 3};
  for (float& x : set.pixels.reshaped()) x = static_cast<float>(stream.uniform());
  for (int i = 0; i < images; ++i) set.labels.push_back(static_cast<std::uint8_t>(stream.below(3)));
  return mlp_task({6, 5, 3}, std::make_shared<const ImageData>(ImageData{set, set}));
}

DataParallelSettings settings_of(OptimiserRule rule) {
  DataParallelSettings s;
  s.workers = 2;
  s.batch = 10;
  s.steps = 20;
  s.seed = 0xfedcba9876543210u;
  s.optimiser.rule = rule;
  s.optimiser.schedule = RateSchedule::cosine;
  s.optimiser.warm_up_steps = 3;
  s.optimiser.largest_norm = 0.5;
  s.optimiser.weight_decay = 0.01;
  return s;
}

/// An average with noise of the step's own.
Eigen::VectorXf noisy(const Eigen::MatrixXf& gradients, const StepContext& context) {
  Stream stream(context.seed, Purpose::test, 0, context.step);
  Eigen::VectorXf average = exact_average(gradients);
  for (float& g : average) g += 0.01f * static_cast<float>(stream.normal());
  return average;
}

}  // namespace

// Fails when a moment, the step or the epoch is not restored, or the global step is counted within the epoch.
TEST_CASE("a learner that was saved goes on to the same bits") {
  const auto rule = GENERATE(OptimiserRule::sgd, OptimiserRule::adamw);
  const LearningTask task = noise_task();
  const auto settings = settings_of(rule);
  Learner straight = start_learner(settings, task);
  for (int i = 0; i < 20; ++i) train_step(straight, task, noisy);

  const Scratch scratch;
  Learner learner = start_learner(settings, task);
  for (int i = 0; i < 11; ++i) train_step(learner, task, noisy);  // seven steps an epoch
  {
    File file = File::create(scratch / "learner.h5");
    save_learner(file.group("learner"), learner);
    file.close();
  }
  const File file = File::open(scratch / "learner.h5");
  Learner resumed = load_learner(file.group("learner"), settings, task);
  CHECK(resumed.epoch == 1);
  CHECK(resumed.step == 4);
  CHECK(next_step(resumed, task).step == 11);
  for (int i = 11; i < 20; ++i) train_step(resumed, task, noisy);
  CHECK(resumed.parameters == straight.parameters);
  CHECK(resumed.moments.first == straight.moments.first);
  CHECK(resumed.moments.second == straight.moments.second);
}

// Fails when only server 0's copy is kept
TEST_CASE("copies of every server are saved with a learner") {
  const LearningTask task = noise_task();
  const auto settings = settings_of(OptimiserRule::sgd);
  Learner learner = start_learner(settings, task);
  train_step(learner, task, [](const Eigen::MatrixXf& g, const StepContext&) -> Eigen::MatrixXf { return g; });
  REQUIRE(learner.others.size() == static_cast<std::size_t>(settings.workers - 1));
  const Scratch scratch;
  {
    File file = File::create(scratch / "learner.h5");
    save_learner(file.group("learner"), learner);
    file.close();
  }
  const Learner resumed = load_learner(File::open(scratch / "learner.h5").group("learner"), settings, task);
  REQUIRE(resumed.others.size() == learner.others.size());
  CHECK(resumed.others.back().parameters == learner.others.back().parameters);
  CHECK(resumed.others.back().moments.first == learner.others.back().moments.first);
  CHECK(copies_apart(resumed) == copies_apart(learner));
}

TEST_CASE("a learner of another training is not gone on with") {
  const Scratch scratch;
  const LearningTask task = noise_task();
  const auto settings = settings_of(OptimiserRule::adamw);
  File file = File::create(scratch / "learner.h5");
  save_learner(file.group("learner"), start_learner(settings, task));
  file.close();
  const File read = File::open(scratch / "learner.h5");
  const Group group = read.group("learner");
  CHECK_NOTHROW(load_learner(group, settings, task));
  CHECK_THROWS_AS(load_learner(group, settings_of(OptimiserRule::sgd), task), Error);
  auto other = settings;
  other.seed = 5;
  CHECK_THROWS_AS(load_learner(group, other, task), Error);
  LearningTask larger = task;
  larger.parameters += 1;
  CHECK_THROWS_AS(load_learner(group, settings, larger), Error);
}
