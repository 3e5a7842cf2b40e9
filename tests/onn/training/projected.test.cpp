#include "onn/training/detail/projected.hpp"

#include "onn/task/words.hpp"
#include "onn/training/trainer.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;
using training::Layer;
using training::MatrixF;
using training::Moments;
using training::VectorF;

namespace {

const Task small = {4, 2};  // 169 words
const std::vector<int> hidden = {32, 32, 32, 32};

TrainingSettings projected(int epochs) {
  TrainingSettings s;
  s.scheme = TrainingScheme::projected;
  s.epochs = epochs;
  s.batch = 16;
  s.learning_rate = 6e-3;
  return s;
}

}  // namespace

// W = 2 x 2 with the polar factor of a rotation: W = P R(a), P = [[3, 1], [1, 2]] positive definite, has U =
// R(a) and diag(W U^T) = diag P. Fails where U is of the right polar decomposition, S is the singular values,
// or the block's place in a wide layer is another
TEST_CASE("a projected block is its polar factor behind the diagonal of what is left") {
  const double a = 0.7;
  Eigen::Matrix2d p, rotation;
  p << 3, 1, 1, 2;
  rotation << std::cos(a), -std::sin(a), std::sin(a), std::cos(a);
  Layer layer{2, 4, false, {}, VectorF::Zero(2), Moments(2, 1), MatrixF::Zero(2, 4)};
  for (int b = 0; b < 2; ++b)
    layer.blocks.push_back({MatrixF::Zero(2, 2), VectorF::Zero(2), Moments(2, 2), Moments(2, 1)});
  MatrixF w = MatrixF::Zero(2, 4);
  w.rightCols(2) = (p * rotation).cast<float>();
  training::project_block(layer, w, 1);
  CHECK((layer.blocks[1].u - rotation.cast<float>()).norm() < 1e-6);
  CHECK(layer.blocks[1].s[0] == Approx(3).margin(1e-6));
  CHECK(layer.blocks[1].s[1] == Approx(2).margin(1e-6));
  CHECK(layer.weight.leftCols(2).norm() == 0);
  CHECK(layer.weight(0, 3) == Approx(-3 * std::sin(a)).margin(1e-6));
}

// Fails where the last projection is left out (words were judged on free weights), or where epochs between two
// projections are judged on them
TEST_CASE("the published scheme learns every word on networks that are projected, whatever the interval") {
  const WordTable table = word_table(small);
  for (const int every : {1, 7}) {
    TrainingSettings s = projected(every == 1 ? 600 : 10);
    s.project_every = every;
    const TrainingResult result = train(small, hidden, s, {2, 1});
    const DecodingScore score_of_file = score(forward(result.network, table.averages), table.targets);
    CHECK(score_of_file.word_accuracy == Approx(result.curve.back().word_accuracy).margin(0.01));
    CHECK(score_of_file.margin == Approx(result.curve.back().margin).margin(1e-3));
    if (every == 1) CHECK(score_of_file.word_accuracy == 1);
    for (const auto& layer : result.network.layers)
      for (const auto& u : layer.unitary)
        CHECK((u.transpose() * u - Eigen::MatrixXd::Identity(u.rows(), u.cols())).cwiseAbs().maxCoeff() <
              1e-12);
  }
}

TEST_CASE("the two phases of the published scheme differ in their loss, and threads change no bit") {
  TrainingSettings s = projected(4);
  s.dead_zone = 0.4;
  const TrainingResult two = train(small, hidden, s, {2, 2}), one = train(small, hidden, s, {2, 1});
  s.squared_share = 1;
  const TrainingResult squared = train(small, hidden, s, {2, 1});
  CHECK(one.curve[1].loss == squared.curve[1].loss);
  CHECK(one.curve[2].loss < squared.curve[2].loss);  // the first epoch whose small errors are free
  for (std::size_t l = 0; l < one.network.layers.size(); ++l)
    CHECK(one.network.layers[l].weight() == two.network.layers[l].weight());
}

TEST_CASE("settings of the projection out of range are refused by name") {
  TrainingSettings s = projected(4);
  s.project_every = 0;
  check_message(refusal([&] { train(small, hidden, s, {2, 1}); }), {"project_every = 0"});
  s = projected(4);
  s.squared_share = 1.5;
  check_message(refusal([&] { train(small, hidden, s, {2, 1}); }), {"squared_share = 1.5"});
  check_message(refusal([] { value_of_name<TrainingScheme>("projectd"); }), {"projected"});
}
