#pragma once

#include "physics/core/enum_names.hpp"

namespace optinc {

/// What is found out about a chip before it is programmed.
enum class CalibrationPolicy {
  none,     ///< nothing: static phase offsets stay, uniform over 2 pi, and splitters are taken as perfect
  oracle,   ///< everything, exactly
  noisy,    ///< phases up to sigma_cal of the error model, splitters up to sigma_estimate_rad
  in_situ,  ///< as noisy, then phases are fitted to the target on the chip itself, without noise: a bound
  twin,     ///< as noisy, with every arm's loss up to sigma_loss_estimate_db; phases are fitted on this model
};

/// As users write them.
template <>
inline constexpr EnumNames enum_names<CalibrationPolicy> = {"calibration policy",
                                                            {"none", "oracle", "noisy", "in-situ", "twin"}};

/// Which splitter angles a calibration finds out.
enum class KnownAngles {
  each,      ///< every splitter's own
  die_mean,  ///< the mean of all splitters of the die, which a few test structures tell
};

/// As users write them.
template <>
inline constexpr EnumNames enum_names<KnownAngles> = {"known splitters", {"each", "die-mean"}};

/// What an operator knows of a chip and does about it before words are sent.
struct CalibrationSettings {
  CalibrationPolicy policy = CalibrationPolicy::noisy;
  double sigma_estimate_rad = 0.0;            ///< rms error of every splitter angle's estimate
  KnownAngles splitters = KnownAngles::each;  ///< die_mean: the mean of these estimates stands for each

  /// Quasi-Newton steps, each with the exact gradient of the true device. A laboratory has no such gradient. By
  /// differences a step takes one measurement of the whole matrix more per phase: n^2 + 1 of a Clements mesh of
  /// n ports, n input fields each, so n^3 + n vectors (n = 128: 2.1 million). With a power monitor behind every
  /// phase shifter (Hughes et al. 2018, Optica 5, 864) it takes three passes of light for each of the n input
  /// fields: forward, backward and both together, 384. Every trial of the line search is a matrix more.
  int in_situ_steps = 20;

  /// What a fit of a digital twin to measured powers leaves of every arm's loss, dB rms (physics/mesh/twin),
  /// and the steps of the fit of phases to the twin, which is arithmetic.
  double sigma_loss_estimate_db = 0.0;
  int twin_steps = 600;

  /// Epochs for which a chip's attenuations and biases are trained again once its meshes are programmed
  /// (onn/training/diagonal_calibration.hpp), and their peak step. A laboratory measures every mesh matrix once
  /// for it; the training is arithmetic.
  int diagonal_epochs = 0;
  double diagonal_rate = 3e-3;
};

/// Throws Error, naming field, value and range.
void validate_calibration(const CalibrationSettings& settings);

}  // namespace optinc
