#include "onn/link/checked_sums.hpp"

#include <cmath>

#include "onn/link/transmission.hpp"
#include "onn/network/carry_chain.hpp"
#include "onn/network/digit_sums.hpp"
#include "onn/task/words.hpp"

#include "tests/support/catch.hpp"

using namespace optinc;

namespace {

struct LaneSums {
  ChipDesign design;
  ChipState chip;
  UnitHardware hardware;
  NoiseSwitches noise;

  explicit LaneSums(const Network& network, double launch_w = 0.0) : design(design_chip(network)) {
    const ErrorModel model = error_preset("ideal");
    chip = programmed_chip(design, fabricate(design, model, 1, 0), model, Programming::uncorrected);
    noise.tia = launch_w > 0;
    if (launch_w > 0) hardware.link.launch_power_w = launch_w;
  }

  LitUnit lit() const { return {design, chip, hardware, noise}; }
  Codes codes(std::size_t words, std::uint32_t number = 0) const {
    Stream stream(7, Purpose::test, number);
    return codes_of_words(design.task, draw_words(design.task, words, stream));
  }
};

/// Share of sums that are not the exact ones.
double wrong_sums(const Task& task, const Eigen::MatrixXd& levels, const Codes& codes) {
  return ((levels - exact_outputs(task, codes)).array().abs() > task.level_spacing() / 2).cast<double>().mean();
}

}  // namespace

// Typed by hand: digits 1 2 | 3 3 | 2 1 and 0 1 | 1 1 | 3 0 sum to 6 6 and 4 2, mod 4, and one more. Fails when
// check words are sums of codes, with carries, or leave out the last, short block
TEST_CASE("a check word has the digits' sums and 1 mod 4") {
  const Task task{.servers = 2, .digits = 2, .outputs = Outputs::sums};
  Codes codes(4, 2);
  codes << 4 * 1 + 2, 4 * 0 + 1,  //
      4 * 3 + 3, 4 * 1 + 1,       //
      4 * 2 + 1, 4 * 3 + 0,       //
      4 * 1 + 0, 4 * 2 + 3;
  Codes wanted(6, 2);
  wanted << codes.topRows(3), Codes{{4 * 3 + 3, 4 * 1 + 3}}, codes.bottomRows(1), Codes{{4 * 2 + 1, 4 * 3 + 0}};
  CHECK(with_check_words(task, codes, 3) == wanted);
  CHECK_THROWS_WITH(with_check_words(task, codes, 0), ContainsSubstring("checked block of 0 words"));
}

// Without noise. Fails when check words of a missing server's zeros agree with them
TEST_CASE("a server that is missing or late fails checks, four that are missing do not") {
  const LaneSums unit(digit_sums({.servers = 8, .digits = 4}));
  const auto failed = [&](int cut, int late) {
    UnitHardware hardware;
    hardware.link.cut_servers = cut;
    hardware.link.late_servers = late;
    return checked_sums({unit.design, unit.chip, hardware, {}}, unit.codes(16 * 400), 16, {}, 1).share_failed();
  };
  CHECK(failed(0, 0) == 0.0);
  CHECK(failed(1, 0) == 1.0);
  CHECK(failed(3, 0) == 1.0);
  CHECK(failed(4, 0) == 0.0);  // 4 is 0 mod 4
  // late by a word: a block has its first digits from the check word before, which is random, 1600 blocks
  CHECK(std::abs(failed(0, 1) - 0.75) < 5 * std::sqrt(0.75 * 0.25 / 1600));
}

// Fails when a block is compared with its neighbour's check word, or an error of 4 is told from none
TEST_CASE("an error that is no multiple of 4 fails the check of its lane and block alone") {
  const LaneSums unit(digit_sums({.servers = 8, .digits = 3}));
  const Task& task = unit.design.task;
  const Codes sent = with_check_words(task, unit.codes(10), 4);  // blocks of 4, 4 and 2 words
  const Eigen::MatrixXd levels = decided_levels(task, transmit(unit.lit(), sent, {}));
  REQUIRE(levels.cols() == 13);
  CHECK_FALSE(failed_checks(task, levels, 4).any());
  for (const int error : {-3, -2, -1, 1, 2, 3, 4}) {
    Eigen::MatrixXd wrong = levels;
    wrong(1, 6) += error * task.level_spacing();
    const LaneBlocks failed = failed_checks(task, wrong, 4);
    CAPTURE(error);
    CHECK(failed(1, 1) == (error % 4 != 0));
    CHECK(failed.count() == (error % 4 != 0 ? 1 : 0));
  }
}

// Fails when words come back in another order, or check words among them
TEST_CASE("checked sums without noise are the sums, sent once") {
  const LaneSums unit(digit_sums({.servers = 4, .digits = 4}));
  const Codes codes = unit.codes(1000);
  const CheckedSums found = checked_sums(unit.lit(), codes, 16, {});
  CHECK(wrong_sums(unit.design.task, found.levels, codes) == 0.0);
  CHECK(found.blocks == 63);
  CHECK(found.share_failed() == 0.0);
  CHECK(found.symbols == Approx(1063.0 / 1000).epsilon(1e-12));
  CHECK(checked_sums(unit.lit(), unit.codes(0), 16, {}).symbols == 1.0);
}

// Rounding is not linear
TEST_CASE("checks of a unit that sends answers are refused") {
  const LaneSums unit(carry_chain({.servers = 4, .digits = 4, .rounding = Rounding::half_up}, {}));
  CHECK_THROWS_WITH(checked_sums(unit.lit(), unit.codes(8), 16, {}), ContainsSubstring("Use digit sums"));
}

// 4.2 million sums, raw errors p near 3e-3, of one step. A block fails for an odd number of them and half of
// the pairs; the pairs that cancel are left: half of B (B - 1) / 2 with two wrong sums and of B with one and
// the check sum, so that B p^2 / 2 of the sums stay wrong, to first order; here with the (1 - p)^(B - 1) of no
// third error over the share of blocks that pass. 5 sigma: wrong sums come in pairs. Fails when checks see half
// a block, a lane is taken from a sending that failed, or sendings repeat their noise
TEST_CASE("MC: checked sums are wrong as often as errors cancel in a block") {
  const LaneSums unit(digit_sums({.servers = 4, .digits = 1}), 3.7e-5);
  const Task& task = unit.design.task;
  constexpr int block = 16, parts = 16;
  constexpr std::size_t words = 1 << 18;
  double raw = 0, left = 0, failed = 0, symbols = 0;
  std::size_t given_up = 0;
  for (std::uint32_t part = 0; part < parts; ++part) {
    const Codes codes = unit.codes(words, part);
    const CheckedSums found = checked_sums(unit.lit(), codes, block, {.seed = 5, .instant = part});
    const Eigen::MatrixXd once =
        decided_levels(task, transmit(unit.lit(), codes, {.seed = 6, .instant = part}));
    raw += wrong_sums(task, once, codes) / parts;
    left += wrong_sums(task, found.levels, codes) / parts;
    failed += found.share_failed() / parts;
    symbols += found.symbols / parts;
    given_up += found.left;
  }
  INFO("raw " << raw << ", left " << left << ", failed " << failed);
  REQUIRE(raw > 1e-3);
  REQUIRE(raw < 6e-3);
  CHECK(given_up == 0);
  constexpr double all = words * double(parts), blocks = all / block;
  const double pairs = block * (block + 1) / 2.0 * raw * raw * std::pow(1 - raw, block - 1);
  const double fails = 1 - std::pow(1 - raw, block + 1) - pairs / 2;
  const double wrong = block * raw * raw / 2 * std::pow(1 - raw, block - 1) / (1 - fails);
  const double raw_spread = std::sqrt(raw / all);
  CHECK(std::abs(failed - fails) <= 5 * (std::sqrt(fails / blocks) + block * raw_spread));
  CHECK(std::abs(left - wrong) <= 5 * (std::sqrt(2 * wrong / all) + 2 * wrong * raw_spread / raw));
  CHECK(left < raw / 20);
  CHECK(std::abs(symbols - (1 + 1.0 / block) / (1 - fails)) <= 2e-3);
}

// One block of 16 words on four lanes, 600 times: a share f of lanes fails at a sending, each by itself, and a
// lane is sent 1 / (1 - f) times in the mean (variance f / (1 - f)^2), 5 sigma. Fails when a block is sent
// again with its old noise, or lanes that passed are
TEST_CASE("MC: a lane that failed is sent again alone, with noise of its own") {
  const LaneSums unit(digit_sums({.servers = 4, .digits = 4}), 2e-5);
  constexpr int block = 16, times = 600, lanes = 4;
  double failed = 0, symbols = 0;
  std::size_t left = 0;
  for (std::uint32_t i = 0; i < times; ++i) {
    const CheckedSums found =
        checked_sums(unit.lit(), unit.codes(block, i), block, {.seed = 5, .instant = i}, 60);
    failed += found.share_failed() / times;
    symbols += found.symbols / times;
    left += found.left;
  }
  REQUIRE(failed > 0.2);
  REQUIRE(failed < 0.6);
  CHECK(left == 0);
  const double spread = std::sqrt(failed / (times * lanes)) / (1 - failed);
  const double of_estimate = std::sqrt(failed * (1 - failed) / (times * lanes)) / ((1 - failed) * (1 - failed));
  CHECK(std::abs(symbols / (1 + 1.0 / block) - 1 / (1 - failed)) <= 5 * (spread + of_estimate));
}
