#pragma once

#include "physics/core/field.hpp"

namespace optinc {

/// Fidelity of a transfer matrix T with a unitary target U, both (N, N): their normalised overlap
/// |tr(U^H T)|^2 / (N |T|_F^2). 1 where T = c U for any number c: uniform loss and a common phase do not count.
/// Throws Error unless both are square and of one size.
double fidelity(const Matrix& target, const Matrix& found);

}  // namespace optinc
