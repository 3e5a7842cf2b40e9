#pragma once

#include "experiments/validate/random_mesh.hpp"
#include "physics/mesh/blocks.hpp"

namespace optinc {

/// A mesh of another kind of MZI, corrected for its known splitters.
struct CorrectedVariant {
  double error = 0.0;  ///< E
  int clipped = 0;     ///< MZIs that could not do what they were asked
};

/// Programs a rectangular mesh of a kind for a target, splitters alpha, beta and gamma ~ N(0, sigma_rad)
/// independent and known, nothing else wrong.
CorrectedVariant corrected_variant(MziKind kind, const Matrix& target, double sigma_rad, const LawTrial& trial);

}  // namespace optinc
