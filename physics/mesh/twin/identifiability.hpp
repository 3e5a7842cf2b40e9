#pragma once

#include "physics/core/field.hpp"

namespace optinc {

/// What data can tell of parameters.
struct Identifiability {
  /// Directions that change no reading, orthonormal, (parameters, directions), in parameters scaled by the
  /// square roots of the information matrix' diagonal.
  Eigen::MatrixXd unseen;
  /// Of every parameter, for noise of 1: the variance of the least-squares estimate without unseen directions
  /// (that of the scaled parameters' pseudo-inverse).
  Vector variance;

  /// Share of a parameter that lies in unseen directions, 0..1 (parameters).
  Vector unseen_share() const { return unseen.rowwise().squaredNorm(); }
};

/// Parameters whose share in unseen directions is at most this can be told.
inline constexpr double told_share = 1e-6;

/// From an information matrix J^T W J, lower triangle: scaled to a diagonal of 1, its eigenvectors with
/// eigenvalues below 1e-9 are unseen. They are found by inverse iteration on a block of vectors that grows
/// until it holds more than them; `expected` of them are a good guess. O(n^3).
Identifiability identifiability(const Eigen::MatrixXd& information, Eigen::Index expected);

}  // namespace optinc
