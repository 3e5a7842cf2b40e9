#pragma once

#include <cstddef>

#include <Eigen/Dense>

#include "physics/core/field.hpp"

/// \file spectrum.hpp Whether a spectrum of a circuit is passive, and whether its grid shows all of it.

namespace optinc {

/// Most power that leaves for a power of 1 that enters, in any shape: the largest eigenvalue of S^H S, S
/// (ports, ports). 1 at most where S is passive.
double largest_output(const Matrix& s);

/// The passive S nearest to one in Frobenius norm: singular values above 1 become 1 (N. J. Higham, Linear
/// Algebra Appl. 103, 103 (1988), has the distance; the minimiser over the unit ball of the spectral norm).
Matrix nearest_passive(const Matrix& s);

/// A value of a spectrum that its neighbours do not foretell.
struct Unresolved {
  Eigen::Index at = 0;  ///< point of the spectrum
  double off = 0.0;     ///< value less that of the cubic through the four nearest points, absolute
};

/// The value of a spectrum that lies farthest from the cubic through its two neighbours on either side,
///   (4 (y_-1 + y_+1) - y_-2 - y_+2) / 6   on an even grid.
/// Of a curve that the grid resolves it is off by some h^4/4 of its fourth derivative; of a resonance narrower
/// than the grid, by as much as the grid shows of it. Nothing (0, 0) for fewer than five points.
Unresolved least_foretold(const Eigen::Ref<const Eigen::VectorXd>& values);

}  // namespace optinc
