// Splitter trees and averaging on a photodiode.

#include "physics/devices/splitter_tree.hpp"

#include "physics/devices/incoherent_sum.hpp"
#include "physics/devices/power_divider.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;
using namespace optinc::testing;

// Fails when the excess loss is counted once, or per output
TEST_CASE("splitter tree: balanced it is (1/sqrt K) 10^(-IL log2(K)/20)") {
  for (const auto& [outputs, stages] : {std::pair{1, 0}, {2, 1}, {4, 2}, {16, 4}}) {
    CAPTURE(outputs);
    const SplitterTree tree = zhang_2013_y_branch_tree(outputs);
    CHECK(splitters_of(tree) == outputs - 1);
    const std::vector<double> balanced(static_cast<std::size_t>(outputs - 1), 0.0);
    const std::vector<double> fields = splitter_tree_fields(tree, balanced);
    REQUIRE(static_cast<int>(fields.size()) == outputs);
    for (const double e : fields)
      CHECK(e == Approx(std::pow(10.0, -0.28 * stages / 20) / std::sqrt(outputs)).epsilon(1e-13));
  }
}

// Fails when stages are counted by outputs
TEST_CASE("splitter tree: excess loss is that of its stages") {
  for (const int outputs : {1, 2, 8}) {
    SplitterTree tree;
    tree.outputs = outputs;
    const std::vector<double> level(static_cast<std::size_t>(outputs - 1), 0.0);
    const double field = splitter_tree_fields(tree, level)[0];
    CHECK(splitter_tree_excess_db(tree) == Approx(-20 * std::log10(field * std::sqrt(outputs))).margin(1e-12));
  }
}

// Fails when a splitter's two outputs are exchanged, or the imbalances are read in another order
TEST_CASE("splitter tree: an imbalance of d dB divides the power r : 1, root first, top to bottom") {
  SplitterTree tree;
  tree.stage_excess_loss_db = 0.0;
  const std::vector<double> imbalance = {10 * std::log10(3.0), 0.0, 10 * std::log10(0.25)};
  const std::vector<double> fields = splitter_tree_fields(tree, imbalance);
  const std::vector<double> powers = {0.375, 0.375, 0.05, 0.2};  // 3:1, then 1:1 above and 1:4 below
  for (std::size_t k = 0; k < 4; ++k) CHECK(fields[k] * fields[k] == Approx(powers[k]).epsilon(1e-13));
}

// Fails when an imbalance creates power. 4000 trees of 16: sd(sigma)/sigma = 1/sqrt(2 * 60000), 5 sigma = 1.5 %
TEST_CASE("MC: splitter tree: drawn imbalances keep the power and have the spread asked for") {
  const std::uint64_t seed = 80;
  CAPTURE(seed);
  SplitterTree tree;
  tree.outputs = 16;
  double squares = 0;
  constexpr int trees = 4000;
  for (std::uint32_t k = 0; k < trees; ++k) {
    Stream s = test_stream(seed, k);
    const std::vector<double> imbalance = draw_imbalance_db(tree, s);
    for (const double d : imbalance) squares += d * d;
    double power = 0;
    for (const double e : splitter_tree_fields(tree, imbalance)) power += e * e;
    REQUIRE(power == Approx(std::pow(10.0, -4 * 0.28 / 10)).epsilon(1e-12));
  }
  CHECK(std::sqrt(squares / (15.0 * trees)) == Approx(0.1).epsilon(0.015));
  // nothing is drawn where nothing varies
  tree.stage_imbalance_db = 0.0;
  Stream used = test_stream(seed), fresh = test_stream(seed);
  CHECK(draw_imbalance_db(tree, used) == std::vector<double>(15, 0.0));
  CHECK(used.bits() == fresh.bits());
}

TEST_CASE("splitter tree: refusals") {
  SplitterTree tree;
  for (const int outputs : {0, 3, -4}) {
    tree.outputs = outputs;
    check_message(refusal([&] { splitters_of(tree); }),
                  {"outputs = " + std::to_string(outputs), "power of two"});
  }
  tree.outputs = 4;
  const std::vector<double> two(2, 0.0);
  check_message(refusal([&] { splitter_tree_fields(tree, two); }), {"2 imbalances", "1:4", "3 splitters"});
  tree.stage_excess_loss_db = -1;
  check_message(refusal([&] { splitters_of(tree); }), {"loss_db"});
}

// Fails when the field instead of its square is linear in the power, or N is divided twice
TEST_CASE("incoherent sum: intensity digits leave as the amplitude digit of their mean") {
  IncoherentSum stage;
  const double digit_3 = 100e-6;
  stage.full_scale_power_w = 4 * digit_3;
  stage.seed_power_w = 2e-3;
  const std::vector<double> powers = {digit_3 * 3 / 3, digit_3 * 1 / 3, 0.0, digit_3 * 2 / 3};
  CHECK(incoherent_current_a(stage, powers) == Approx(0.9 * 200e-6 + 30e-9).epsilon(1e-13));
  CHECK(remodulated_field_sqrt_w(stage, powers) == Approx(std::sqrt(2e-3) * 1.5 / 3).epsilon(1e-13));
  const std::vector<double> beyond(4, 2 * digit_3), nothing(4, 0.0);
  CHECK(remodulated_field_sqrt_w(stage, beyond) == Approx(std::sqrt(2e-3)).epsilon(1e-14));
  CHECK(remodulated_field_sqrt_w(stage, nothing) == Approx(0.0).margin(1e-12));
  CHECK(remodulated_field_of_current_sqrt_w(stage, 0.9 * 100e-6 + 30e-9) ==
        Approx(std::sqrt(2e-3) / 4).epsilon(1e-13));
  CHECK(remodulated_field_of_current_sqrt_w(stage, 0.0) == 0.0);              // noise under the dark current
  CHECK(passive_incoherent_power_w(powers) == Approx(50e-6).epsilon(1e-13));  // a quarter of 200 uW
  const std::vector<double> negative = {1e-3, -1e-6}, none;
  check_message(refusal([&] { incoherent_current_a(stage, negative); }), {"power_w"});
  check_message(refusal([&] { passive_incoherent_power_w(none); }), {"no powers"});
  stage.full_scale_power_w = 0;
  check_message(refusal([&] { remodulated_field_sqrt_w(stage, powers); }), {"full_scale_power_w"});
}
