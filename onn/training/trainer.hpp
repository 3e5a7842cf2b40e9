#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "onn/training/run.hpp"
#include "onn/training/settings.hpp"

namespace optinc {

/// Trains a network of the given hidden widths by the scheme of the settings: on every word of the task, or on
/// drawn ones (words_per_epoch), which are judged before training has met them. The words left over after the
/// last full batch sit out that epoch. `start`: a network of the same widths to go on from, of whatever servers
/// and rounding, in place of random matrices. Throws Error for settings out of range, a start or a kept state
/// of another shape, and when the loss is no longer finite.
TrainingResult train(const Task& task, std::span<const int> hidden, const TrainingSettings& settings,
                     const TrainingRun& run = {}, const Network* start = nullptr,
                     const TrainingUnit& unit = {});

}  // namespace optinc
