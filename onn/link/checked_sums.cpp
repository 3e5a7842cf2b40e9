#include "onn/link/checked_sums.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "onn/link/transmission.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

constexpr Eigen::Index noise_block = 512;  // first_word counts in these

Eigen::Index blocks_of(Eigen::Index words, int block) { return (words + block - 1) / block; }

/// Words of block b, of so many words.
Eigen::Index words_in(Eigen::Index b, int block, Eigen::Index words) {
  return std::min<Eigen::Index>(block, words - b * block);
}

std::uint32_t check_word(const Task& task, const Eigen::Ref<const CodeVector>& codes) {
  std::vector<int> sums(static_cast<std::size_t>(task.input_digits()), 1);
  for (const std::uint32_t code : codes) {
    const std::vector<int> digits = code_digits(code, task.input_digits());
    for (std::size_t m = 0; m < sums.size(); ++m) sums[m] = (sums[m] + digits[m]) % 4;
  }
  return static_cast<std::uint32_t>(code_total(sums));
}

Eigen::MatrixXd send(const LitUnit& unit, const Codes& codes, TransmissionSeed& seed) {
  Eigen::MatrixXd levels = decided_levels(unit.design.task, transmit(unit, codes, seed));
  seed.first_word += static_cast<std::uint64_t>((codes.rows() + noise_block - 1) / noise_block * noise_block);
  return levels;
}

}  // namespace

Codes with_check_words(const Task& task, const Codes& codes, int block) {
  validate(block >= 1, "a checked block of {} words (at least 1). Give it some.", block);
  const Eigen::Index words = codes.rows(), blocks = blocks_of(words, block);
  Codes sent(words + blocks, codes.cols());
  for (Eigen::Index b = 0; b < blocks; ++b) {
    const Eigen::Index count = words_in(b, block, words), from = b * (block + 1);
    sent.middleRows(from, count) = codes.middleRows(b * block, count);
    for (Eigen::Index n = 0; n < codes.cols(); ++n)
      sent(from + count, n) = check_word(task, codes.col(n).segment(b * block, count));
  }
  return sent;
}

LaneBlocks failed_checks(const Task& task, const Eigen::MatrixXd& levels, int block) {
  const Eigen::Index blocks = blocks_of(levels.cols(), block + 1);
  LaneBlocks failed(levels.rows(), blocks);
  for (Eigen::Index b = 0; b < blocks; ++b) {
    const Eigen::Index from = b * (block + 1), count = words_in(b, block + 1, levels.cols());
    for (Eigen::Index m = 0; m < levels.rows(); ++m) {
      const auto sum = [&](Eigen::Index w) { return std::llround(levels(m, from + w) / task.level_spacing()); };
      long long rest = task.servers - sum(count - 1);
      for (Eigen::Index w = 0; w < count - 1; ++w) rest += sum(w);
      failed(m, b) = rest % 4 != 0;
    }
  }
  return failed;
}

double CheckedSums::share_failed() const {
  const std::size_t all = blocks * failed.size();
  return all == 0 ? 0.0
                  : static_cast<double>(std::accumulate(failed.begin(), failed.end(), std::size_t{0})) /
                        static_cast<double>(all);
}

CheckedSums checked_sums(const LitUnit& unit, const Codes& codes, int block, TransmissionSeed seed,
                         int sendings) {
  const Task& task = unit.design.task;
  validate(
      task.outputs == Outputs::sums,
      "checks of a unit whose outputs are answers (rounding is not linear: check sums do not survive it). Use "
      "digit sums.");
  validate(sendings >= 1, "{} sendings of a checked block (at least 1). Give it some.", sendings);
  const Eigen::Index words = codes.rows();
  CheckedSums found;
  found.blocks = static_cast<std::size_t>(blocks_of(words, block));
  found.levels.resize(task.output_digits(), words);
  found.failed.assign(static_cast<std::size_t>(task.output_digits()), 0);

  std::vector<Eigen::Index> waiting(found.blocks);  // blocks that some lane misses
  std::iota(waiting.begin(), waiting.end(), Eigen::Index{0});
  LaneBlocks missing = LaneBlocks::Constant(task.output_digits(), blocks_of(words, block), true);
  double symbols = 0.0;
  for (int round = 0; round < sendings && !waiting.empty(); ++round) {
    // the blocks that wait, one behind the other; the last block of all may be shorter and stays last
    Eigen::Index rows = 0;
    for (const Eigen::Index b : waiting) rows += words_in(b, block, words);
    Codes again(rows, codes.cols());
    rows = 0;
    for (const Eigen::Index b : waiting) {
      const Eigen::Index count = words_in(b, block, words);
      again.middleRows(rows, count) = codes.middleRows(b * block, count);
      rows += count;
    }
    const Eigen::MatrixXd levels = send(unit, with_check_words(task, again, block), seed);
    const auto failed = failed_checks(task, levels, block);
    std::vector<Eigen::Index> still;
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      const Eigen::Index b = waiting[i], count = words_in(b, block, words),
                         from = static_cast<Eigen::Index>(i) * (block + 1);
      for (Eigen::Index m = 0; m < levels.rows(); ++m) {
        if (!missing(m, b)) continue;
        symbols += static_cast<double>(count + 1);
        found.levels.row(m).segment(b * block, count) = levels.row(m).segment(from, count);
        missing(m, b) = failed(m, static_cast<Eigen::Index>(i));
        if (round == 0 && missing(m, b)) ++found.failed[static_cast<std::size_t>(m)];
      }
      if (missing.col(b).any()) still.push_back(b);
    }
    waiting = std::move(still);
  }
  found.left = static_cast<std::size_t>(missing.count());
  if (words > 0) found.symbols = symbols / static_cast<double>(words * task.output_digits());
  return found;
}

}  // namespace optinc
