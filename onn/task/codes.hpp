#pragma once

#include <cstdint>
#include <span>

#include <Eigen/Dense>

#include "onn/task/task.hpp"

namespace optinc {

/// The servers' codes, shape (words, servers): row w is one word, one gradient element on every server.
using Codes = Eigen::Matrix<std::uint32_t, Eigen::Dynamic, Eigen::Dynamic>;
/// Codes of one server, or the answers to all, shape (words).
using CodeVector = Eigen::Matrix<std::uint32_t, Eigen::Dynamic, 1>;

/// Servers' codes whose digit sums are those of the given words of the enumeration (word_sums): each sum is
/// shared out as evenly as it goes, the servers that carry one more rotating with word and digit. That is the
/// split least sensitive to phase-lock errors; without them every split gives the same light behind unit P.
Codes codes_of_words(const Task& task, std::span<const std::uint64_t> words);

/// Exact Q(mean) of every row, shape (words). Stochastic rounding draws anew for every row and instant: the
/// same numbers wherever the answers of an instant are computed, as electronics with one seed would.
CodeVector exact_answers(const Task& task, const Codes& codes, std::uint32_t instant = 0);

/// Answers to sums of codes, by the same arithmetic and draws, shape (words).
CodeVector answers_to(const Task& task, std::span<const std::uint64_t> totals, std::uint32_t instant = 0);

/// Averages a_m over the servers, (M, words): what an ideal unit P hands to the network.
Eigen::MatrixXd digit_averages(const Task& task, const Codes& codes);

/// What the outputs of a unit without errors are for these codes, (output digits, words), in digits: the digits
/// of the answer, or the lanes' averages where outputs say sums.
Eigen::MatrixXd exact_outputs(const Task& task, const Codes& codes);

/// The level of each output that is nearest to it, (output digits, words), in digits: 0..3, or in steps of 1/N
/// where outputs say sums. NaN is decided as 0.
Eigen::MatrixXd decided_levels(const Task& task, const Eigen::Ref<const Eigen::MatrixXd>& outputs);

/// The answers that follow from decided_levels(): their digits put together, or answers_to() the sums.
CodeVector decide(const Task& task, const Eigen::Ref<const Eigen::MatrixXd>& outputs,
                  std::uint32_t instant = 0);

/// Decides digits at the thresholds 0.5, 1.5, 2.5 and puts the code together; outputs (M, words) -> (words).
/// NaN decodes as digit 0.
CodeVector decide_digits(const Eigen::Ref<const Eigen::MatrixXd>& outputs);

/// Digits of codes as numbers, (M, words): what outputs are scored against.
Eigen::MatrixXd digits_of(const CodeVector& codes, int digits);

}  // namespace optinc
