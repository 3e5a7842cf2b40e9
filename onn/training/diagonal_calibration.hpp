#pragma once

#include <memory>

#include "onn/chip/chip.hpp"
#include "onn/link/operated_chip.hpp"
#include "onn/training/result.hpp"
#include "onn/training/settings.hpp"

namespace optinc {

/// The design for one chip alone, once its meshes are programmed: attenuations s and biases b are trained again
/// on the mesh matrices M that it turned out to have,
///   W = diag(s) M,   M = Re(T) / (mean loss of the mesh's columns),   which homodyne receivers see,
/// on every word of the task, by Adam from the s and b of the design, with the loss of the settings (epochs,
/// batch, learning_rate, warmup_epochs, dead_zone, noise and noise_ramp count; with noise, that of `unit`).
/// Kept is the epoch after which most words are right, the design itself among them; with noise the last.
/// Meshes and their phases stay; attenuators' errors are not looked at: they are programmed for the new s as
/// they were for the old one. The new `weight` is diag(s) M. Same chip and seed, same bits, whatever `threads`.
/// Throws Error for a design of a network that is not Network::is_feed_forward(), and, with noise, where a
/// hidden layer has no ceiling or nothing of the unit is noisy.
ChipDesign with_trained_diagonals(const ChipDesign& design, const ChipState& measured, const TrainingUnit& unit,
                                  const TrainingSettings& settings, std::uint64_t seed, int threads = 0);

/// How a chip's diagonals are trained again: as its network was, but for epochs and rate, which calibration
/// says.
struct Retraining {
  const TrainingSettings& training;
  NoiseSwitches noise = {};
  int threads = 0;
};

/// The design for chip `number` alone: with_trained_diagonals() for calibration.diagonal_epochs on the chip as
/// it is while it is calibrated (heaters on, the operation's environment), or for 0 the design itself, which
/// must outlive the result.
std::shared_ptr<const ChipDesign> retrained_design(const ChipDesign& design, const Operation& operation,
                                                   const CalibratedChip& chip, std::uint32_t number,
                                                   Programming programming, const Retraining& retraining);

}  // namespace optinc
