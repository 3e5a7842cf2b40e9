#include "onn/training/trainer.hpp"

#include "onn/task/words.hpp"
#include "physics/core/check.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

TrainingSettings short_run(int epochs) {
  TrainingSettings s;
  s.epochs = epochs;
  return s;
}

}  // namespace

TEST_CASE("training has the same bits on one and two threads, and other bits for another seed") {
  const std::vector<int> hidden = {16, 32, 16};
  const auto one = train({4, 4}, hidden, short_run(4), {5, 1}),
             two = train({4, 4}, hidden, short_run(4), {5, 2});
  const auto other = train({4, 4}, hidden, short_run(4), {6, 2});
  for (std::size_t l = 0; l < one.network.layers.size(); ++l) {
    CHECK(one.network.layers[l].weight() == two.network.layers[l].weight());
    CHECK(one.network.layers[l].bias == two.network.layers[l].bias);
  }
  CHECK(one.curve.back().loss == two.curve.back().loss);
  CHECK(one.network.layers[0].weight() != other.network.layers[0].weight());
}

TEST_CASE("training lowers the loss, keeps every U orthogonal and reports what the network does") {
  const Task task{4, 4};
  const auto result = train(task, std::vector<int>{32, 32, 32}, short_run(25), {1});
  CHECK(result.curve.size() == 25);
  CHECK(result.curve.back().loss < 0.5 * result.curve.front().loss);
  for (const auto& layer : result.network.layers)
    for (const auto& u : layer.unitary)
      CHECK((u.transpose() * u - Eigen::MatrixXd::Identity(u.rows(), u.cols())).cwiseAbs().maxCoeff() < 1e-12);
  const WordTable table = word_table(task);
  const DecodingScore s = score(forward(result.network, table.averages), table.targets);
  // float32 against float64, and words at a threshold, may differ by a few of 28,561
  CHECK(s.word_accuracy == Approx(result.curve.back().word_accuracy).margin(5e-4));
  CHECK(s.margin == Approx(result.curve.back().margin).margin(1e-3));
}

TEST_CASE("MC: the published network learns every word under the constraint") {
  const Task task{4, 4};
  const auto result = train(task, std::vector<int>{64, 128, 256, 128, 64}, TrainingSettings{}, {1});
  const WordTable table = word_table(task);
  const DecodingScore s = score(forward(result.network, table.averages), table.targets);
  CHECK(s.word_accuracy == 1.0);
  CHECK(s.margin > 0.05);
}

// Fails where the first layer's bias is shifted by S U in place of W, where a free layer is not trained (its
// singular values would all be equal) or is projected (V would be a permutation)
TEST_CASE("layers of full SVD are trained as any matrices, the others as S U, in both schemes") {
  const Task task{4, 4};
  const WordTable table = word_table(task);
  TrainingSettings s = short_run(25);
  s.full_svd_layers = {1, 3};
  for (const auto scheme : {TrainingScheme::lie_adam, TrainingScheme::projected}) {
    s.scheme = scheme;
    const auto one = train(task, std::vector<int>{32, 32, 32}, s, {1, 1});
    const auto two = train(task, std::vector<int>{32, 32, 32}, s, {1, 2});
    CHECK(one.curve.back().loss == two.curve.back().loss);
    CHECK(one.curve.back().loss < 0.5 * one.curve.front().loss);
    const DecodingScore found = score(forward(one.network, table.averages), table.targets);
    CHECK(found.word_accuracy == Approx(one.curve.back().word_accuracy).margin(5e-4));  // float32, as above
    CHECK(found.margin == Approx(one.curve.back().margin).margin(1e-3));
    int light = 0, left = 0;
    for (const SigmaULayer& layer : one.network.layers) {
      if (layer.ending == LayerEnd::light) {
        ++light;
        CHECK(layer.sigma[0].maxCoeff() > 1.1 * layer.sigma[0].minCoeff());
      }
      if (!layer.attenuated) {
        ++left;
        CHECK(layer.unitary[0].cwiseAbs().rowwise().maxCoeff().minCoeff() < 0.9);
      }
    }
    CHECK(light == 2);
    CHECK(left == 8 + 1);  // a V for every block of 4, and one of 32
  }
}

TEST_CASE("impossible training settings are refused by name") {
  TrainingSettings s;
  s.batch = 0;
  CHECK_THAT(refusal([&] { train({4, 4}, std::vector<int>{16}, s, {1}); }), ContainsSubstring("batch = 0"));
  s = {};
  s.learning_rate = std::nan("");
  CHECK_THAT(refusal([&] { train({4, 4}, std::vector<int>{16}, s, {1}); }), ContainsSubstring("learning_rate"));
  s = {};
  s.warmup_epochs = 100;
  CHECK_THAT(refusal([&] { train({4, 4}, std::vector<int>{16}, s, {1}); }), ContainsSubstring("warmup_epochs"));
  s = {};
  s.full_svd_layers = {3};
  CHECK_THAT(refusal([&] {
               train({4, 4}, std::vector<int>{16}, s, {1});
             }),
             ContainsSubstring("full_svd_layers = 3"));
  s.full_svd_layers = {1};
  s.matrix_noise = 0.1;
  CHECK_THAT(refusal([&] {
               train({4, 4}, std::vector<int>{16}, s, {1});
             }),
             ContainsSubstring("full_svd_layers"));
  CHECK_THAT(refusal([&] { train({4, 8}, std::vector<int>{16}, {}, {1}); }), ContainsSubstring("input words"));
}
