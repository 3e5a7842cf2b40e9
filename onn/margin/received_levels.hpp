#pragma once

#include <span>
#include <vector>

#include "onn/hardware/operating_values.hpp"
#include "onn/link/noise.hpp"
#include "onn/margin/number_plane.hpp"
#include "onn/task/codes.hpp"

namespace optinc {

/// Mean and variance of what receivers take of each word, as Gaussians.
template <class Real>
struct LevelMoments {
  NumberPlane<Real> mean, variance;
};

/// Amplitudes (output digits, words) with which a server's phase z, normal of rms 1, is in the answers: they
/// move by along z - across (z^2 - 1) / sqrt(2), as light moves that phases turn.
template <class Real>
struct PhaseAmplitudes {
  NumberPlane<Real> along, across;
};

/// The same at all receivers of a unit.
template <class Real>
struct ReceivedLevels {
  std::vector<LevelMoments<Real>>
      layers;                  ///< (layers), before rectifiers and converters; empty without receivers
  LevelMoments<Real> answers;  ///< (output digits, words), in digits, converters' noise in it
  std::vector<PhaseAmplitudes<Real>>
      phases;  ///< (servers), part of the answers' variances; empty without locks
  /// (words) Natural logarithms of how likely a step of a limiting receiver comes out wrong, one entry a step.
  std::vector<std::vector<Real>> log_wrong_steps;
  bool neurons_decide = true;  ///< every neuron is a limiting receiver that decides, or there is none
};

/// Moments of what transmit() draws for these codes, at other settings than the unit's own, propagated stage by
/// stage. Words stand in succession, as transmit() has them; interference is exact. First order in this:
///
///   - noise is Gaussian, also light's phase against oscillators, whose effect on a field is quadratic;
///   - phases of servers' locks are quadratic, too, in `phases`, without a cosine's fourth order;
///   - noise that is on light or neurons stays with its word (no interference of noise);
///   - rectifiers and limiters pass on the mean and variance of a limited Gaussian, and noise that came with it
///     in proportion to how often they let it through, so that it stays the same noise wherever it goes on;
///   - a limiting receiver whose settled values are all near 0 or its ceiling takes a decision: it is wrong
///     where noise takes it past half of its ceiling, and passes on the level of its mean;
///   - modulators' leak has no derivative in the depth of drive.
///
/// `fibre_rad`: phases of the servers' light, in place of the moments of those that locks leave; empty: the
/// moments. Real: double, or OperatingTangent for derivatives in the settings. Throws Error as transmit(), and
/// for words unclocked, late light, incoherent averages and modulators that are not linearised.
template <class Real>
ReceivedLevels<Real> received_levels(const LitUnit& unit, const OperatingValues<Real>& values,
                                     const Codes& codes, const TransmissionSeed& seed,
                                     std::span<const double> fibre_rad = {});

}  // namespace optinc
