#include "onn/network/full_svd.hpp"

#include "onn/chip/chip_design.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/networks.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

const Task two_digits{4, 2};
const std::vector<int> mixed_widths = {6, 6, 2, 4};  // 2-6-6-2-4-2: tall, square, wide, tall, wide
const std::vector<int> every_layer = {1, 2, 3, 4, 5};

/// Random V of every block of every layer.
std::vector<LeftFactors> random_left(const Network& network) {
  Stream stream(7, Purpose::test);
  std::vector<LeftFactors> left;
  for (const SigmaULayer& layer : network.layers) {
    left.emplace_back();
    for (int b = 0; b < layer.blocks(); ++b) left.back().push_back(haar_orthogonal(layer.block_size(), stream));
  }
  return left;
}

/// The network whose weights are V S U, multiplied out: a reference without meshes.
Eigen::MatrixXd multiplied_out(const Network& network, const std::vector<LeftFactors>& left,
                               Eigen::MatrixXd x) {
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    const SigmaULayer& layer = network.layers[l];
    const int n = layer.block_size();
    Eigen::MatrixXd w(layer.outputs, layer.inputs);
    for (int b = 0; b < layer.blocks(); ++b) {
      const auto k = static_cast<std::size_t>(b);
      const Eigen::MatrixXd part = left[l][k] * layer.sigma[k].asDiagonal() * layer.unitary[k];
      w.block(layer.tall() ? b * n : 0, layer.tall() ? 0 : b * n, n, n) = part;
    }
    x = layer.forward(w, x);
  }
  return x;
}

}  // namespace

TEST_CASE("layers of full SVD have the weights V S U, whatever their shape") {
  Network network = random_network(two_digits, mixed_widths);
  network.layers[1].ceiling = 0.4;
  const auto left = random_left(network);
  const Eigen::MatrixXd words = Eigen::MatrixXd::Random(2, 50).array() + 1.5;
  const Network built = with_full_svd(network, every_layer, left);
  CHECK_NOTHROW(validate_network(built));
  CHECK((forward(built, words) - multiplied_out(network, left, words)).cwiseAbs().maxCoeff() < 1e-12);
  CHECK((forward(with_full_svd(network, every_layer), words) - forward(network, words)).cwiseAbs().maxCoeff() <
        1e-12);
  const std::vector<int> two = {3, 4};
  const Network partly = with_full_svd(network, two, std::vector{left[2], left[3]});
  std::vector<LeftFactors> others = random_left(network);
  for (const std::size_t l : {0u, 1u, 4u})
    for (Eigen::MatrixXd& v : others[l]) v.setIdentity();
  CHECK((forward(partly, words) - multiplied_out(network, others, words)).cwiseAbs().maxCoeff() < 1e-12);
}

TEST_CASE("full SVD has a mesh more a block, and counts as such once") {
  const Network outline = network_outline(two_digits, mixed_widths);
  const Network built = with_full_svd(outline, every_layer);
  // ten blocks of 2, each two meshes of one MZI and two attenuators; one block of 6
  CHECK(mzi_count(built) == 10 * (1 + 2 + 1) + (15 + 6 + 15));
  CHECK(mzi_count_full_svd(built) == mzi_count_full_svd(outline));
  CHECK(meshes_of(built).size() == meshes_of(outline).size() + 2 * 11);  // and idle attenuators
}

TEST_CASE("full SVD of layers that are not there, or of other networks, is refused") {
  const Network outline = network_outline(two_digits, mixed_widths);
  CHECK_THAT(refusal([&] { with_full_svd(outline, std::vector{6}); }),
             ContainsSubstring("full_svd_layers = 6 (layers 1 to 5"));
  const Network built = with_full_svd(outline, every_layer);
  CHECK_THAT(refusal([&] { with_full_svd(built, every_layer); }), ContainsSubstring("chain of layers S U"));
}
