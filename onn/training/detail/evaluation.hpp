#pragma once

#include <cstdint>
#include <vector>

#include "onn/training/detail/layers.hpp"
#include "onn/training/result.hpp"

// Every word of a task, and how many of them the layers in training get right.

namespace optinc::training {

/// All words of the task in the order of word_sums(), a byte a digit: 16 servers of 8 bits take 46 MB.
struct Dataset {
  using Bytes = Eigen::Matrix<std::uint8_t, Eigen::Dynamic, Eigen::Dynamic>;
  Bytes sums;              ///< s_m, (input digits, words)
  Bytes digits;            ///< of the answers, (output digits, words)
  VectorF inputs_of_sums;  ///< a - shift of every sum 0..3N

  /// Number of words.
  Eigen::Index words() const { return sums.cols(); }
  /// Inputs a - shift of the words with these numbers (a span, or Eigen::seqN), (input digits, words).
  template <class Words>
  MatrixF inputs(const Words& chosen) const {
    return sums(Eigen::all, chosen).unaryExpr([this](std::uint8_t sum) { return inputs_of_sums[sum]; });
  }
  /// Target digits of these words, (output digits, words).
  template <class Words>
  MatrixF targets(const Words& chosen) const {
    return digits(Eigen::all, chosen).template cast<float>();
  }
};

/// Every word of a task. Throws Error as validate_enumerable.
Dataset all_words(const Task& task);

/// Largest decision_error of every word's digits, by the float32 network, (words).
VectorF word_errors(const std::vector<Layer>& layers, const Dataset& data, int threads);

/// Accuracy and margin of these errors, into the report.
void judge(const VectorF& errors, EpochReport& report);

}  // namespace optinc::training
