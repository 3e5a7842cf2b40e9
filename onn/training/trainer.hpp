#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "onn/training/result.hpp"
#include "onn/training/settings.hpp"

namespace optinc {

struct Checkpointing;  // onn/training/checkpoint.hpp

/// Trains a network of the given hidden widths by the scheme of the settings: on every word of the task, or on
/// drawn ones (words_per_epoch), which are judged before training has met them. Same seed, same bits, whatever
/// `threads` (0: all). `progress`, if set, is called after every epoch. A batch is shared out to at most four
/// threads; the words left over after the last full batch sit out that epoch. `start`: a network of the same
/// widths to go on from, of whatever servers and rounding, in place of random matrices. Throws Error for
/// settings out of range, a start or a kept state of another shape, and when the loss is no longer finite.
TrainingResult train(const Task& task, std::span<const int> hidden, const TrainingSettings& settings,
                     std::uint64_t seed, int threads = 0,
                     const std::function<void(const EpochReport&)>& progress = {},
                     const Network* start = nullptr, const Checkpointing* checkpointing = nullptr,
                     const TrainingUnit& unit = {});

}  // namespace optinc
