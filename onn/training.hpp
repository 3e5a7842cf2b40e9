#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "onn/network.hpp"

namespace optinc {

/// Lie-Adam training of exact Sigma-U networks (spec/optinc.md section 3): what the operator sets.
struct TrainingSettings {
  int epochs = 100;
  int batch = 512;
  double learning_rate = 1.2e-2;
  int warmup_epochs = 3;
  double dead_zone = 0.1;  ///< loss = mean of max(|y - d| - dead_zone, 0)^2
  double matrix_noise =
      0.0;  ///< stand-in for device errors: every step meets every U with an error of this relative
            ///< Frobenius norm, normal and fresh; the answers it is trained for are those with it
  bool on_chips = false;     ///< every step meets a simulated chip (train_on_chips), not a stand-in
  double stop_margin = 0.0;  ///< ends after the epoch whose words are all right by so much; 0: all epochs
};

/// Throws Error, naming the setting, for one out of range.
void validate_training(const TrainingSettings& settings);

/// One line of the learning curve.
struct EpochReport {
  int epoch = 0;               ///< counted from 1
  double loss = 0.0;           ///< mean over the epoch's batches
  double word_accuracy = 0.0;  ///< share of all words whose every digit rounds right, after the epoch
  double margin = 0.0;         ///< min over all words of 0.5 - max_m |y_m - d_m|; > 0 when every word is right
  double learning_rate = 0.0;
  double seconds = 0.0;  ///< since the start
};

struct TrainingResult {
  Network network;  ///< float64, every U orthogonal to 1e-12, input shift folded into the first bias
  std::vector<EpochReport> curve;
  double seconds = 0.0;
};

/// Trains a network of the given hidden widths on every word of the task. Same seed, same bits, whatever
/// `threads` (0: all). `progress`, if set, is called after every epoch. A batch is shared out to
/// at most four threads; the words left over after the last full batch sit out that epoch. `start`: a network
/// of the same task and widths to go on from, in place of random matrices. Throws Error for settings out of
/// range, a start of another shape, and when the loss is no longer finite.
TrainingResult train(const Task& task, std::span<const int> hidden, const TrainingSettings& settings,
                     std::uint64_t seed, int threads = 0,
                     const std::function<void(const EpochReport&)>& progress = {},
                     const Network* start = nullptr);

}  // namespace optinc
