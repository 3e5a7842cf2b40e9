#pragma once

#include "physics/devices/coupler.hpp"

namespace optinc {

/// 2x2 multimode-interference splitter: a directional coupler's matrix with eta = pi/4 + imbalance, a slope an
/// order of magnitude smaller and more loss. Defaults: typical (assumed; 5e-4 rad/nm at 50:50, 0.1..0.5 dB).
struct Mmi2x2 {
  double imbalance_rad = 0.0;               ///< delta: K = (1 + sin 2 delta)/2
  double eta_relative_slope_per_m = 6.4e5;  ///< 5e-4 rad/nm at 50:50
  double wavelength_m = 1550e-9;            ///< where the imbalance holds
  double excess_loss_db = 0.3;              ///< of both outputs together
};

/// The directional coupler with the same matrix: what the functions of coupler.hpp take.
DirectionalCoupler as_coupler(const Mmi2x2& device);

/// Transfer matrix 10^(-IL/20) DC((pi/4 + delta) (1 + r (lambda - lambda_0))). Throws Error as
/// directional_coupler.
Matrix2 mmi_2x2(const Mmi2x2& device, double wavelength_m);

}  // namespace optinc
