#pragma once

#include "onn/chip/chip.hpp"
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

}  // namespace optinc
