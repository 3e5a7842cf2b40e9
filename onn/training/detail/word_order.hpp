#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "onn/training/checkpoint.hpp"
#include "onn/training/detail/evaluation.hpp"
#include "onn/training/settings.hpp"

// Which words an epoch's steps take, and in which order.

namespace optinc::training {

/// The words of one epoch after the other: each once, shuffled, unless the settings choose among them. Then an
/// epoch of as many steps goes through pass after pass: of the words in the window, every hard one, the worse
/// ones several times, and the others with chance easy_share, shuffled. Hard are words that erred by more than
/// hard_error after the epoch before; until errors are known every word is, once. A word is in a pass so many
/// times, a fraction cut off,
///
///   times = max((error / hard_error)^hard_power if hard, rounded, at most 255; hard_memory times before).
///
/// Pass p of epoch e draws from stream (network_shuffle; p + 1; e), the plain shuffle of epoch e from
/// (network_shuffle; 0; e).
class WordOrder {
 public:
  /// `data` must outlive it.
  WordOrder(const Dataset& data, const TrainingSettings& settings, std::uint64_t seed);

  /// The words of epoch `epoch` (from 1), as many as `words`; epochs are asked for one after the other, from
  /// the first, or from the one that a training is resumed in.
  std::span<const std::uint32_t> of_epoch(int epoch, std::size_t words);
  /// Errors of all words after an epoch, or of a network to start from, which make the hard ones.
  void learn(const VectorF& errors);
  /// Where words make room for drawn ones after an epoch: every other place, and those of words that are not
  /// hard. All places where none is.
  std::vector<std::uint32_t> places_to_draw() const;
  /// Errors of the words that were drawn into these places: nothing of the words before them is remembered.
  void learn_drawn(std::span<const std::uint32_t> places, const VectorF& errors);
  /// Names how often words are in a pass in the state of a training, six of them a value.
  void name(StateArrays& arrays);

 private:
  std::vector<std::uint32_t> in_window(int epoch) const;
  void shuffle_all(int epoch);
  std::uint8_t times(float error) const;

  const Dataset& data_;
  const TrainingSettings& settings_;
  std::uint64_t seed_;
  std::vector<std::uint32_t> order_;
  int shuffled_ = 0;                 // epochs that order_ has met; each shuffles the order of the one before
  std::vector<std::uint8_t> times_;  // that each word is in every pass, if it is hard; 0: it is not
};

}  // namespace optinc::training
