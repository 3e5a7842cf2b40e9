#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <Eigen/Dense>

#include "onn/link/readout.hpp"
#include "onn/network/network.hpp"

namespace optinc {

/// What one chip makes of every input word: its whole deterministic error, by code, and how far receivers'
/// noise spreads each. Words then cost a look-up and a few random numbers instead of a passage through the
/// meshes.
struct ResponseTable {
  Task task;
  std::optional<AdcSettings> converter;  ///< of every digit; none is ideal
  /// y without noise, in digits, before servers' amplifiers cut it, (output digits, words of the task)
  Eigen::MatrixXf outputs;
  CodeVector decided;                 ///< the code those outputs decide to, (words)
  std::vector<ReadoutNoise> readout;  ///< of a server's receiver, its limit too, (output digits)
  /// A look-up draws a normal for every digit's receiver and one for the seed's intensity. As long as none of
  /// them exceeds a word's reach in magnitude, its answer is `decided`; `moving` is the chance that one does,
  /// in units of 2^-32.
  Eigen::VectorXf reach;  ///< (words)
  CodeVector moving;      ///< (words)
  /// What the receivers of neurons and incoherent averages did to every word, in digits, (output digits,
  /// words): some draws, each of which is as likely as any; none where those receivers are silent.
  std::vector<Eigen::MatrixXf> before_readout;

  /// Whether a look-up draws anything.
  bool noisy() const;
};

/// Codes that servers decide for outputs `y` (output digits, words) of any words, noise included: cut by their
/// amplifiers, read by the table's converter.
CodeVector read_outputs(const ResponseTable& table, Eigen::MatrixXd y);

/// Throws Error where the light of a word depends on more than its digit sums (lock errors, errors of unit P's
/// combiners, servers that are cut off or late, the phase of a server's oscillators, a leak, a mismatch or a
/// linear drive of the servers' modulators, intensity noise of lasers of their own), and where the task's words
/// are too many (most_table_words).
void validate_tabulation(const Task& task, const UnitHardware& hardware, const NoiseSwitches& noise);

/// Words of a table that are sent together: each such part has noise of the neurons' own.
inline constexpr Eigen::Index table_part_words = 1 << 18;

/// Draws of the neurons' noise that a table holds: 8, fewer for a task where they would take more than 256 MB.
int table_draws(const Task& task);

/// Sends every word of the task through the chip without noise, and table_draws() times with that of the
/// neurons' receivers where they have any (transmit). Error rates are then right on average over tables, while
/// one table's words meet the same few draws again. Throws Error as validate_tabulation and transmit.
ResponseTable tabulate_chip(const LitUnit& unit, const TransmissionSeed& seed);

/// Sets reach and moving of all words by the outputs and the noise in the table: once more where these have
/// been changed. Reach 0, where all noise is drawn in full, is right for every word, and slow.
void find_reach(ResponseTable& table);

/// What the network itself makes of every word, in double precision: without devices or noise. Throws Error for
/// a task with too many words.
ResponseTable tabulate_network(const Network& network);

/// Which random numbers a look-up uses.
struct TableSeed {
  std::uint64_t seed = 1;
  std::uint32_t chip = 0;
  std::uint32_t use = 0;         ///< a step of training
  std::uint64_t first_word = 0;  ///< number of its first word, a multiple of table_block_words
};
inline constexpr Eigen::Index table_block_words = 4096;

/// What each code adds to the number of its word, (codes): word_sums() counts in base 3N + 1, so that codes add
/// up.
std::vector<std::uint32_t> shares_of_word(const Task& task);

/// Throws Error for codes of another number of servers or out of range, and for a first word that no block
/// begins with.
void validate_lookup(const ResponseTable& table, const Codes& codes, const TableSeed& seed);

/// Codes that a server decides for the words of all servers' codes, (words, servers) -> (words): tabulated
/// outputs with one of the draws of the neurons' noise, and the noise of the server's receiver drawn for every
/// word and digit anew. Of most words a single random number says that no noise moves them; the others draw
/// theirs from the tails beyond the word's reach, so that answers are distributed as if all were drawn. The
/// result does not depend on the threads, and words sent in parts get the answers of all at once. Throws Error
/// as validate_lookup().
CodeVector send_by_table(const ResponseTable& table, const Codes& codes, const TableSeed& seed);

}  // namespace optinc
