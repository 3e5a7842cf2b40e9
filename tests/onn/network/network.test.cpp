#include "onn/network/network.hpp"

#include "onn/chip/chip_design.hpp"
#include "onn/task/words.hpp"
#include "physics/core/check.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/networks.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {
const std::vector<int> published = {64, 128, 256, 128, 64};
}

TEST_CASE("MZI counts of the published structures are the published ones") {
  // 39.2 % for the 8-bit net with all six layers approximated, 173,504 = 40.0 % for the 16-bit one (arXiv
  // 2603.28290); depth 5+65+129+129+65+5
  const Network net8 = make_network({4, 4}, published);
  CHECK(mzi_count(net8) == 41'664);
  CHECK(mzi_count_full_svd(net8) == 106'260);
  CHECK(mzi_depth(net8) == 398);
  const Network net16 = make_network({4, 8}, std::vector<int>{64, 128, 256, 512, 256, 128, 64});
  CHECK(mzi_count(net16) == 173'504);
  CHECK(mzi_count_full_svd(net16) == 433'736);
  CHECK(mzi_count(make_network({4, 4}, std::vector<int>{32, 32, 32, 32, 32})) == 2'272);
}

TEST_CASE("the design has the MZIs the network counts") {
  const Network network = random_network({4, 4}, {16, 32, 8});
  CHECK(design_chip(network).mzi_count() == mzi_count(network));
  CHECK(design_chip(make_network({4, 4}, published)).mzi_count() == 41'664);
}

TEST_CASE("blocks are stacked when tall and side by side when wide") {
  const Network network = random_network({4, 2}, {6, 2});  // 2 -> 6 -> 2 -> 2
  const auto& tall = network.layers[0];
  const auto& wide = network.layers[1];
  CHECK(tall.blocks() == 3);
  CHECK((tall.weight().middleRows(2, 2) - tall.sigma[1].asDiagonal() * tall.unitary[1]).norm() < 1e-15);
  CHECK(wide.blocks() == 3);
  CHECK((wide.weight().middleCols(4, 2) - wide.sigma[2].asDiagonal() * wide.unitary[2]).norm() < 1e-15);
}

TEST_CASE("ReLU is positively homogeneous: layer scales can be pulled out if biases follow") {
  // f(c x) = c f(x) with every bias scaled by the product of scales before it (row 20 of `optinc validate`,
  // 1e-12)
  const Network network = random_network({4, 4}, {8, 16, 8});
  Network scaled = network;
  const double c[] = {0.3, 1.7, 0.9, 2.5};
  double accumulated = 1.0;
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    accumulated *= c[l];
    for (auto& s : scaled.layers[l].sigma) s *= c[l];
    scaled.layers[l].bias *= accumulated;
  }
  const Eigen::MatrixXd x = word_table({4, 4}).averages.leftCols(500);
  const Eigen::MatrixXd y = forward(network, x);
  CHECK((forward(scaled, x) - accumulated * y).cwiseAbs().maxCoeff() < 1e-12 * y.cwiseAbs().maxCoeff());
}

TEST_CASE("widths that cannot be cut into square blocks are refused") {
  CHECK_THAT(refusal([&] {
               make_network({4, 4}, std::vector<int>{6});
             }),
             ContainsSubstring("4 and 6 do not fit"));
  CHECK_THROWS_AS(make_network({4, 4}, std::vector<int>{0}), Error);
}
