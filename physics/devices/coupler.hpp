#pragma once

#include "physics/core/field.hpp"

namespace optinc {

/// Lossless directional coupler DC(eta) = [[cos eta, i sin eta], [i sin eta, cos eta]]: the solution of
/// coupled-mode theory da/dz = i kappa b over a length L with eta = kappa L (Yariv 1973). Power cross-coupling
/// sin^2 eta; a 50:50 splitter has eta = pi/4. `eta_rad` in rad.
Matrix2 coupler(double eta_rad);

}  // namespace optinc
