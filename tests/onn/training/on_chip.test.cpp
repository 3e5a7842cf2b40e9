#include "onn/training/on_chip.hpp"

#include <cmath>

#include "onn/task/words.hpp"
#include "onn/training/trainer.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

const Task small = {4, 2};  // 169 words
const std::vector<int> hidden = {32, 32, 32, 32};

TrainingSettings settings_of(int epochs, double rate) {
  TrainingSettings s;
  s.epochs = epochs;
  s.batch = 16;
  s.warmup_epochs = 1;
  s.learning_rate = rate;
  return s;
}

Network trained() { return train(small, hidden, settings_of(600, 1.2e-2), {2, 1}).network; }

}  // namespace

TEST_CASE("training goes on from a network with the loss it ended with") {
  const TrainingResult first = train(small, hidden, settings_of(60, 1e-2), {2, 1});
  const TrainingResult more = train(small, hidden, settings_of(2, 1e-6), {2, 1}, &first.network);
  CHECK(more.curve.front().margin == Approx(first.curve.back().margin).margin(1e-3));
  check_message(refusal([&] {
                  train(small, std::vector<int>{16}, settings_of(2, 1e-3), {2, 1}, &first.network);
                }),
                {"network.hidden", "network.start"});
}

TEST_CASE("training ends once every word is right by the margin asked for") {
  TrainingSettings s = settings_of(1500, 5e-3);
  s.stop_margin = 0.1;
  const TrainingResult result = train(small, hidden, s, {2, 1});
  CHECK(result.curve.size() < 1500);
  CHECK(result.curve.back().margin >= 0.1);
  CHECK(result.curve.back().word_accuracy == 1);
}

// Words under fresh matrix errors of 10 %, 40 draws: a network that met such errors in training errs less on
// them. Fails when the noise is not fresh, not applied, or the gradient belongs to another matrix
TEST_CASE("MC: a network that met matrix errors in training bears them better") {
  const Network plain = trained();
  TrainingSettings s = settings_of(150, 5e-3);
  s.matrix_noise = 0.1;
  const Network hardened = train(small, hidden, s, {2, 1}, &plain).network;
  const WordTable table = word_table(small);
  const auto right = [&](const Network& network) {
    double sum = 0;
    for (std::uint32_t draw = 0; draw < 40; ++draw) {
      Network disturbed = network;
      Stream stream(8, Purpose::test, draw);
      for (auto& layer : disturbed.layers)
        for (auto& u : layer.unitary)
          for (double& x : u.reshaped()) x += 0.1 / std::sqrt(static_cast<double>(u.rows())) * stream.normal();
      sum += score(forward(disturbed, table.averages), table.targets).word_accuracy;
    }
    return sum / 40;
  };
  // 40 x 169 words: 5 sigma of the difference of two shares near 0.9 are 0.026
  CHECK(right(hardened) > right(plain) + 0.026);
}

TEST_CASE("training on chips keeps meshes orthogonal, lowers the loss and depends on no thread") {
  const Network start = trained();
  TrainingUnit model;
  model.chip = error_preset("good-lab");
  const TrainingResult one = train_on_chips(start, settings_of(40, 1e-3), model, {3, 1});
  const TrainingResult two = train_on_chips(start, settings_of(40, 1e-3), model, {3, 2});
  // every step meets a chip of its own, so that one epoch's loss scatters by some 15 %: means of ten epochs
  REQUIRE(one.curve.size() == 40);
  double first = 0, last = 0;
  for (std::size_t i = 0; i < 10; ++i) {
    first += one.curve[i].loss;
    last += one.curve[30 + i].loss;
  }
  CHECK(last < 0.9 * first);
  for (std::size_t l = 0; l < one.network.layers.size(); ++l) {
    CHECK(one.network.layers[l].bias == two.network.layers[l].bias);
    for (std::size_t b = 0; b < one.network.layers[l].unitary.size(); ++b) {
      const Eigen::MatrixXd& u = one.network.layers[l].unitary[b];
      CHECK(u == two.network.layers[l].unitary[b]);
      CHECK((u * u.transpose() - Eigen::MatrixXd::Identity(u.rows(), u.rows())).cwiseAbs().maxCoeff() < 1e-10);
    }
  }
}
