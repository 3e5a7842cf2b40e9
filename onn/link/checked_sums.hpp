#pragma once

#include <vector>

#include "onn/link/noise.hpp"
#include "onn/task/codes.hpp"

namespace optinc {

/// Words as they are sent with checks: behind every `block` of them, and behind the last ones, a check word of
/// every server, whose digit m is 1 and the sum of its digits m over the block, mod 4. Light adds check words
/// as it adds words, and what is linear mod 4 stays so: a lane's sums of a block, the number of servers and its
/// check sum agree mod 4. The 1 shows a server that is missing: zeros alone would agree with zeros. Shape
/// (words + ceil(words / block), servers). Throws Error for a block < 1.
Codes with_check_words(const Task& task, const Codes& codes, int block);

/// One value for every lane and block, (output digits, blocks).
using LaneBlocks = Eigen::Matrix<bool, Eigen::Dynamic, Eigen::Dynamic>;

/// Which lanes of which blocks disagree mod 4 with their check sum, from decided_levels() of words that
/// with_check_words() made.
LaneBlocks failed_checks(const Task& task, const Eigen::MatrixXd& levels, int block);

/// Sums that were checked, and sent again where they had failed.
struct CheckedSums {
  Eigen::MatrixXd levels;  ///< as decided_levels(), (output digits, words): decide() makes codes of them
  std::size_t blocks = 0;  ///< of words; each is checked on every lane by itself
  std::vector<std::size_t> failed;  ///< of each lane: blocks whose first sending failed
  std::size_t left = 0;  ///< blocks of lanes that failed `sendings` times and were taken as they were
  double symbols = 1.0;  ///< sent, for each that a unit without checks sends

  /// Blocks of lanes that failed, of all.
  double share_failed() const;
};

/// Sends words in checked blocks through a unit whose outputs are sums, and what fails again, up to `sendings`
/// times in all. A block that fails on some lanes is sent again for these alone; other lanes keep what passed.
/// Sendings follow each other: each has the noise of words behind those sent before (seed.first_word).
///
/// Errors that pass: at least two symbols of a lane's block, their errors adding to 0 mod 4. With a share p of
/// symbols wrong by one step, block p^2 / 2 of the sums stay wrong, for p much smaller than 1 / block: half of
/// the pairs, of two sums or of one and the check sum.
/// Throws Error as transmit(), for a block or sendings < 1, and for a unit that sends answers: rounding is not
/// linear.
CheckedSums checked_sums(const LitUnit& unit, const Codes& codes, int block, TransmissionSeed seed,
                         int sendings = 8);

}  // namespace optinc
