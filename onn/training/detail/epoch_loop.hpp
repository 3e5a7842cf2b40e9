#pragma once

#include <functional>
#include <vector>

#include "onn/training/checkpoint.hpp"
#include "onn/training/detail/evaluation.hpp"
#include "onn/training/detail/forward.hpp"
#include "onn/training/settings.hpp"

// The way through the epochs that all trainers share.

namespace optinc::training {

/// Chips that training meets have numbers from here on: none that a study draws is among them.
inline constexpr std::uint32_t first_training_chip = 1 << 24;

/// One step's words, (M, words) both, and when it is taken.
struct Batch {
  MatrixF inputs, targets;
  double rate;           ///< learning rate
  int epoch;             ///< from 1
  long step;             ///< since the start, from 0
  StepNoise noise = {};  ///< that its layers meet; its inputs have met it
  /// Number of the chip that it meets.
  std::uint32_t chip() const { return first_training_chip + static_cast<std::uint32_t>(step); }
};

/// Gives every hidden layer that has none a ceiling of this share of the largest value that it puts out over
/// these words, the layers before it limited already; a layer that has one, that share of it.
void limit_outputs(std::vector<Layer>& layers, const Dataset& data, double share);

/// Noise of the unit around this design. Throws Error where nothing draws any, or a hidden layer has no
/// ceiling: noise is relative to its modulators' full scale.
UnitNoise noise_of(const ChipDesign& design, const TrainingUnit& unit);

/// What a trainer does in the loop below.
struct TrainerSteps {
  std::function<double(const Batch&)> step;  ///< takes a step; returns the summed loss of its words
  std::function<void(int epoch)> before_evaluation =
      {};                                         ///< puts into the layers what an epoch is evaluated by
  std::function<void(StateArrays&)> arrays = {};  ///< names all that the trainer has from one step to the next
};

/// Warm-up, then half a cosine to 0.
double cosine_schedule(const TrainingSettings& s, double epoch);

/// Share of the unit's noise that training meets after so many epochs: from 0.02 noise, in a straight line, to
/// all of it after noise_ramp of the epochs.
double noise_schedule(const TrainingSettings& s, double epoch);

/// A trainer's way through its epochs: shuffles, cuts batches, evaluates `layers`, reports, stops. With
/// `checkpointing` it resumes from an earlier state.
struct EpochLoop {
  const Task& task;
  const TrainingSettings& settings;
  std::uint64_t seed;
  int threads;
  const std::function<void(const EpochReport&)>& progress;
  const Checkpointing* checkpointing = nullptr;
  const UnitNoise* noise = nullptr;  ///< that every step meets, by noise_schedule()

  /// Trains `layers` to the end; a report of every epoch.
  std::vector<EpochReport> run(const std::vector<Layer>& layers, const TrainerSteps& trainer) const;
};

/// What a trainer whose layers these are ends with.
TrainingResult result_of(const Network& shape, const std::vector<Layer>& layers,
                         std::vector<EpochReport> curve);

}  // namespace optinc::training
