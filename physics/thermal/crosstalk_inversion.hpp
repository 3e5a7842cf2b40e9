#pragma once

#include <limits>
#include <string>
#include <vector>

#include "physics/core/warning.hpp"
#include "physics/thermal/phase_response.hpp"

namespace optinc {

/// What the drive electronics and the heat sink allow, W; no limit by default.
struct PowerLimits {
  double heater_w = std::numeric_limits<double>::infinity();
  double total_w = std::numeric_limits<double>::infinity();
};

/// Powers for wanted phases, what they reach, and what was clipped on the way.
struct CrosstalkInversion {
  Vector power_w;  ///< 0 .. limit (heaters)
  Vector
      target_rad;    ///< wanted, wrapped to [0, 2 pi), and whole turns added where power was negative (heaters)
  Vector phase_rad;  ///< reached: Xi P (heaters)
  double residual_rad = 0.0;         ///< largest |reached - wanted|; below 1e-12 where nothing was clipped
  std::vector<Eigen::Index> turned;  ///< heaters that got 2 pi more because their power was below 0
  std::vector<Eigen::Index> clipped_at_zero;   ///< heaters left at 0 W
  std::vector<Eigen::Index> clipped_at_limit;  ///< heaters left at the heater limit
  double power_scale = 1.0;  ///< below 1: every power was lowered by it to keep the total limit
  double total_w = 0.0;
  double die_k = 0.0;  ///< rise of the die over ambient, R_d times the total, in the steady state

  /// Whether every phase is reached as it was wanted.
  bool feasible() const { return clipped_at_zero.empty() && clipped_at_limit.empty() && power_scale == 1.0; }
};

/// Steady-state crosstalk inversion, P = Xi^-1 phi: wanted phases are wrapped to [0, 2 pi); where P < 0 the
/// phase gets a turn more and all is solved again. A heater that then exceeds its limit is left at 0 W, one
/// that exceeds it without a turn at the limit, and the others are solved around them, so that they still reach
/// their phases. A total above the limit scales all powers down (no phase is right then). Conjugate gradients
/// on the symmetric matrix, BiCGSTAB with reference arms, refined until the residual is rounding. Throws Error
/// for phases not finite or too few, limits not > 0, or a solver that stalls.
CrosstalkInversion invert_crosstalk(const PhaseResponse& response, const Vector& phase_rad,
                                    const PowerLimits& limits = {});

/// Phase reached less phase wanted, reduced to [-pi, pi], rad (heaters).
Vector static_phase_errors_rad(const PhaseResponse& response, const Vector& power_w, const Vector& wanted_rad);

}  // namespace optinc
