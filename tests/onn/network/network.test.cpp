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

TEST_CASE("widths that cannot be cut into square blocks are refused") {
  CHECK_THAT(refusal([&] {
               make_network({4, 4}, std::vector<int>{6});
             }),
             ContainsSubstring("4 and 6 do not fit"));
  CHECK_THROWS_AS(make_network({4, 4}, std::vector<int>{0}), Error);
}
