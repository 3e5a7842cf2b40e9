#include "onn/training/checkpoint.hpp"

#include <functional>

#include "onn/training/on_chip.hpp"
#include "onn/training/trainer.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

const Task small = {4, 2};  // 169 words
const std::vector<int> hidden = {16, 16};

TrainingSettings settings_of(TrainingScheme scheme) {
  TrainingSettings s;
  s.scheme = scheme;
  s.epochs = 6;
  s.batch = 16;  // ten batches an epoch
  s.warmup_epochs = 1;
  s.learning_rate = 3e-3;
  s.project_every = 2;
  return s;
}

using Trainer = std::function<TrainingResult(const Checkpointing&)>;
struct Stopped {};

/// The state after so many steps, where the training ends.
TrainingState stopped_after(const Trainer& trainer, int steps, const TrainingState* resumed = nullptr) {
  TrainingState kept;
  const Checkpointing keeping = {[&](const std::function<TrainingState()>& state) {
                                   if (--steps > 0) return;
                                   kept = state();
                                   throw Stopped{};
                                 },
                                 resumed};
  CHECK_THROWS_AS(trainer(keeping), Stopped);
  return kept;
}

void check_same(const TrainingResult& a, const TrainingResult& b) {
  REQUIRE(a.curve.size() == b.curve.size());
  for (std::size_t e = 0; e < a.curve.size(); ++e) {
    CHECK(a.curve[e].epoch == b.curve[e].epoch);
    CHECK(a.curve[e].loss == b.curve[e].loss);
    CHECK(a.curve[e].word_accuracy == b.curve[e].word_accuracy);
    CHECK(a.curve[e].margin == b.curve[e].margin);
    CHECK(a.curve[e].learning_rate == b.curve[e].learning_rate);
  }
  for (std::size_t l = 0; l < a.network.layers.size(); ++l) {
    CHECK(a.network.layers[l].unitary == b.network.layers[l].unitary);
    CHECK(a.network.layers[l].sigma == b.network.layers[l].sigma);
    CHECK(a.network.layers[l].bias == b.network.layers[l].bias);
  }
}

/// Stops in the middle of an epoch, again right before an epoch is judged, and goes on to the end.
void check_resumes(const Trainer& trainer) {
  const TrainingResult whole = trainer({});
  const TrainingState middle = stopped_after(trainer, 23);
  CHECK(middle.epoch == 3);
  CHECK(middle.batches == 3);
  CHECK(middle.curve.size() == 2);
  const TrainingState later = stopped_after(trainer, 17, &middle);
  CHECK(later.epoch == 4);
  CHECK(later.batches == 10);
  check_same(trainer({{}, &later}), whole);
}

}  // namespace

// Fails where any array, the shuffles of earlier epochs, the epoch's loss or the number of the step is lost
TEST_CASE("a stopped training goes on to the same bits: Lie-Adam with fresh matrix errors") {
  TrainingSettings s = settings_of(TrainingScheme::lie_adam);
  s.matrix_noise = 0.02;
  check_resumes([&](const Checkpointing& k) { return train(small, hidden, s, {3, 1, {}, &k}); });
}

// Fails where the state loses which words are hard, or how often they are in a pass
TEST_CASE("a stopped training goes on to the same bits: words chosen by difficulty, in a window that grows") {
  TrainingSettings s = settings_of(TrainingScheme::lie_adam);
  s.hard_error = 0.25;
  s.hard_power = 3.0;
  s.hard_memory = 0.7;
  s.window = 0.5;
  check_resumes([&](const Checkpointing& k) { return train(small, hidden, s, {3, 1, {}, &k}); });
}

// Fails where the state loses which words were drawn
TEST_CASE("a stopped training goes on to the same bits: words drawn for every epoch, hard ones kept") {
  TrainingSettings s = settings_of(TrainingScheme::lie_adam);
  s.words_per_epoch = 160;  // ten batches
  s.hard_error = 0.25;
  check_resumes([&](const Checkpointing& k) { return train({4, 8}, hidden, s, {3, 1, {}, &k}); });
}

// Fails where the state loses weights that are trained themselves
TEST_CASE("a stopped training goes on to the same bits: layers of full SVD") {
  TrainingSettings s = settings_of(TrainingScheme::lie_adam);
  s.full_svd_layers = {1, 3};
  check_resumes([&](const Checkpointing& k) { return train(small, hidden, s, {3, 1, {}, &k}); });
}

// A projection every second epoch: free weights outlive an epoch
TEST_CASE("a stopped training goes on to the same bits: projected") {
  TrainingSettings s = settings_of(TrainingScheme::projected);
  s.matrix_noise = 0.02;
  check_resumes([&](const Checkpointing& k) { return train(small, hidden, s, {3, 1, {}, &k}); });
}

TEST_CASE("a stopped training goes on to the same bits: on chips") {
  const TrainingSettings s = settings_of(TrainingScheme::lie_adam);
  const Network start = train(small, hidden, s, {3, 1}).network;
  TrainingUnit model;
  model.chip = error_preset("good-lab");
  model.noise = NoiseSwitches::all();
  check_resumes([&](const Checkpointing& k) { return train_on_chips(start, s, model, {3, 1, {}, &k}); });
}

TEST_CASE("the state of another network is refused") {
  const TrainingSettings s = settings_of(TrainingScheme::lie_adam);
  const TrainingState state = stopped_after(
      [&](const Checkpointing& k) {
        return train(small, hidden, s, {3, 1, {}, &k});
      },
      5);
  const Checkpointing keeping = {{}, &state};
  check_message(refusal([&] {
                  train(small, std::vector<int>{32, 32}, s, {3, 1, {}, &keeping});
                }),
                {"layer0/block", "Train anew"});
}
