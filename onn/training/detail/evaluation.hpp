#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "onn/training/detail/layers.hpp"
#include "onn/training/result.hpp"
#include "onn/training/settings.hpp"

// The words that training takes, and how many of them the layers in training get right.

namespace optinc::training {

/// Words of a task, a byte a digit: all words of 16 servers of 8 bits take 46 MB.
struct Dataset {
  using Bytes = Eigen::Matrix<std::uint8_t, Eigen::Dynamic, Eigen::Dynamic>;
  Bytes sums;              ///< s_m, (input digits, words)
  Bytes digits;            ///< of the answers, (output digits, words)
  VectorF inputs_of_sums;  ///< a - shift of every sum 0..3N

  /// Puts the word of this number in place `w`.
  void put(Eigen::Index w, const Task& task, std::uint64_t number);
  /// The number of the word in place `w`, as word_sums() counts.
  std::uint64_t number(Eigen::Index w) const;
  /// The numbers of the words in these places.
  std::vector<std::uint64_t> numbers(std::span<const std::uint32_t> places) const;
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

/// Every word of a task, in the order of word_sums(). Throws Error as validate_enumerable.
Dataset all_words(const Task& task);
/// So many words, uniform over the enumeration, from stream (training_words; 0): what the first epoch takes
/// where settings.words_per_epoch asks for it. Otherwise all_words().
Dataset first_words(const Task& task, const TrainingSettings& settings, std::uint64_t seed);
/// Draws the words in these places anew, from stream (training_words; epoch).
void redraw(Dataset& data, const Task& task, std::span<const std::uint32_t> places, std::uint64_t seed,
            int epoch);

/// Largest decision_error of every word's digits, by the float32 network, (words).
VectorF word_errors(const std::vector<Layer>& layers, const Dataset& data, int threads);

/// Accuracy and margin of these errors, into the report.
void judge(const VectorF& errors, EpochReport& report);

}  // namespace optinc::training
