#pragma once

#include <vector>

#include "onn/hardware/operating_values.hpp"
#include "onn/link/detail/stages.hpp"
#include "onn/margin/number_plane.hpp"

// How noise that begins at each stage of a unit reaches the answers.

namespace optinc {

/// Noise that begins at a stage: what its receivers draw each for itself, and amplitudes of draws in common.
/// `slope`: how a neuron's output follows its input, in the mean; `added`: variance of the output that does not
/// follow it. Both empty where nothing does.
template <class Real>
struct StageDraws {
  NumberPlane<Real> own;
  std::vector<NumberPlane<Real>> shared;
  NumberPlane<Real> slope, added;
};

/// Adds to the variances of the answers (digits, words) what is drawn at all stages, by all ways on which it
/// reaches a digit: backwards from the digits, as gradients are propagated. Variances that are propagated
/// forwards take noise that two neurons have of one for independent. Returns the amplitudes of draws in common.
template <class Real>
std::vector<NumberPlane<Real>> add_noise_of_stages(const UnitStages<double>& unit,
                                                   const std::vector<StageDraws<Real>>& draws,
                                                   NumberPlane<Real>& variance);

}  // namespace optinc
