#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "onn/network/network.hpp"

namespace optinc {

/// What became of the words that a network was asked.
struct WordCheck {
  std::uint64_t words = 0;
  std::uint64_t wrong = 0;                  ///< words with a digit on the wrong side of a threshold
  std::uint64_t off_by_one = 0;             ///< of these, the words whose code is the next one, up or down
  std::vector<std::uint64_t> wrong_digits;  ///< words in which this digit is wrong, (M), the top digit first
  double margin = 0.5;                      ///< least over the words, as DecodingScore::margin
  bool every = false;                       ///< these were all words of the task

  bool operator==(const WordCheck&) const = default;
};

/// Most words that check_words() enumerates rather than draws.
inline constexpr std::uint64_t most_checked_words = 6'000'000;

/// Asks the float64 network every word of its task where at most most_checked_words exist. Otherwise `drawn`
/// words, uniform over the enumeration, and every edge word: each digit sum one of 0, 1, 2, 3, 4, 3N - 1, 3N
/// (as many of those as keep the edge words below most_checked_words), from which carries run through all
/// digits. The answers are integer arithmetic. Same seed, same words, whatever `threads` (0: all). `progress`
/// is called with the number of words of every block that is done, from any thread. Throws Error as
/// validate_network.
WordCheck check_words(const Network& network, std::uint64_t drawn, std::uint64_t seed, int threads = 0,
                      const std::function<void(std::uint64_t)>& progress = {});

/// How many words check_words() will ask.
std::uint64_t words_to_check(const Task& task, std::uint64_t drawn);

}  // namespace optinc
