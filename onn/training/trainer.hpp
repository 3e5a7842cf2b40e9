#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "onn/network/network.hpp"
#include "onn/training/settings.hpp"

namespace optinc {

/// One line of the learning curve.
struct EpochReport {
  int epoch = 0;               ///< counted from 1
  double loss = 0.0;           ///< mean over the epoch's batches
  double word_accuracy = 0.0;  ///< share of all words whose every digit rounds right, after the epoch
  double margin = 0.0;         ///< min over all words of 0.5 - max_m |y_m - d_m|; > 0 when every word is right
  double learning_rate = 0.0;
  double seconds = 0.0;  ///< since the start
};

/// What a training ended with.
struct TrainingResult {
  Network network;  ///< float64, every U orthogonal to 1e-12, input shift folded into the first bias
  std::vector<EpochReport> curve;
  double seconds = 0.0;
};

struct Checkpointing;  // onn/training/checkpoint.hpp: how a training is kept while it runs, and gone on with

/// Trains a network of the given hidden widths on every word of the task by the scheme of the settings. Same
/// seed, same bits, whatever `threads` (0: all). `progress`, if set, is called after every epoch. A batch is
/// shared out to at most four threads; the words left over after the last full batch sit out that epoch.
/// `start`: a network of the same task and widths to go on from, in place of random matrices. Throws Error for
/// settings out of range, a start or a kept state of another shape, and when the loss is no longer finite.
TrainingResult train(const Task& task, std::span<const int> hidden, const TrainingSettings& settings,
                     std::uint64_t seed, int threads = 0,
                     const std::function<void(const EpochReport&)>& progress = {},
                     const Network* start = nullptr, const Checkpointing* checkpointing = nullptr);

}  // namespace optinc
