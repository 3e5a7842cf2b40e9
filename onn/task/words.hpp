#pragma once

#include <cmath>

#include <Eigen/Dense>

#include "onn/task/task.hpp"
#include "physics/random/stream.hpp"

namespace optinc {

/// Every input word of a task and what its network must answer, in the order of word_sums().
struct WordTable {
  Eigen::MatrixXd averages;  ///< a_m = s_m / N, (input digits, words)
  Eigen::MatrixXd targets;   ///< exact_outputs(), (output digits, words)
};

/// Most words a table holds: N = 16, M = 4 has 5.76 million.
inline constexpr std::uint64_t most_table_words = 6'000'000;

/// Throws Error unless the task is valid and its words can be enumerated (most_table_words).
void validate_enumerable(const Task& task);

/// Enumerates all (3N+1)^M words. Throws Error as validate_enumerable.
WordTable word_table(const Task& task);

/// Averages that a design looks at, (input digits, words): those of every word where at most most_design_words
/// exist, otherwise of so many words drawn uniformly from the enumeration (seed 1) and the two extremes.
inline constexpr std::uint64_t most_design_words = 100'000;
Eigen::MatrixXd design_words(const Task& task);

/// Numbers of the words that a network or a chip is evaluated on: every one where at most max_evaluation_words
/// exist, otherwise 2^18 drawn ones (seed 1), the first and the last of the enumeration among them.
inline constexpr std::uint64_t max_evaluation_words = 1'000'000;
std::vector<std::uint64_t> evaluation_words(const Task& task);

/// `count` numbers of words, uniform over the enumeration; of sums of sums, over those that sums of codes make.
std::vector<std::uint64_t> draw_words(const Task& task, std::size_t count, Stream& stream);

/// How far an output is off its level d on the sides where a threshold stands: |y - d|, but 0 below d = 0 and
/// above d = 3, where no other digit is decided. NaN where y is.
template <class Real>
Real decision_error(Real y, Real d) {
  return (d == 0 && y < 0) || (d == 3 && y > 3) ? Real(0) : std::abs(y - d);
}

/// How well decoded outputs hit: share of words with every level right, and the least distance of an output to
/// a threshold on its right side, spacing/2 - max decision_error(y, d) (negative once a level is wrong).
struct DecodingScore {
  double word_accuracy = 0.0;
  double margin = 0.0;
};

/// Scores outputs y (M, words) against target levels d (M, words) that are `spacing` digits apart
/// (Task::level_spacing); NaN counts as wrong.
DecodingScore score(const Eigen::Ref<const Eigen::MatrixXd>& outputs,
                    const Eigen::Ref<const Eigen::MatrixXd>& targets, double spacing = 1.0);

}  // namespace optinc
