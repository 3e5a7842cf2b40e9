#pragma once

#include <functional>
#include <vector>

#include "onn/training/checkpoint.hpp"
#include "onn/training/detail/layers.hpp"
#include "onn/training/settings.hpp"

// The way through the epochs that all trainers share.

namespace optinc::training {

/// One step's words, (M, words) both, and when it is taken.
struct Batch {
  MatrixF inputs, targets;
  double rate;  ///< learning rate
  int epoch;    ///< from 1
  long step;    ///< since the start, from 0
};

/// What a trainer does in the loop below.
struct TrainerSteps {
  std::function<double(const Batch&)> step;  ///< takes a step; returns the summed loss of its words
  std::function<void(int epoch)> before_evaluation =
      {};                                         ///< puts into the layers what an epoch is evaluated by
  std::function<void(StateArrays&)> arrays = {};  ///< names all that the trainer has from one step to the next
};

/// Warm-up, then half a cosine to 0.
double cosine_schedule(const TrainingSettings& s, double epoch);

/// A trainer's way through its epochs: shuffles, cuts batches, evaluates `layers`, reports, stops. With
/// `checkpointing` it resumes from an earlier state.
struct EpochLoop {
  const Task& task;
  const TrainingSettings& settings;
  std::uint64_t seed;
  int threads;
  const std::function<void(const EpochReport&)>& progress;
  const Checkpointing* checkpointing = nullptr;

  /// Trains `layers` to the end; a report of every epoch.
  std::vector<EpochReport> run(const std::vector<Layer>& layers, const TrainerSteps& trainer) const;
};

/// What a trainer whose layers these are ends with.
TrainingResult result_of(const Network& shape, const std::vector<Layer>& layers,
                         std::vector<EpochReport> curve);

}  // namespace optinc::training
