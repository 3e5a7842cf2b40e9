#pragma once

#include "physics/thermal/crosstalk.hpp"

namespace optinc {

/// x of A x = b by an iterative solver with refinement until the residual stops shrinking, at rounding. A is
/// symmetric positive definite (conjugate gradients), or any well-conditioned matrix (BiCGSTAB) where
/// `symmetric` is false. Throws Error where the residual stays above 1e-10 of max |b|.
Vector solve_sparse(const SparseMatrix& a, const Vector& b, bool symmetric);

}  // namespace optinc
