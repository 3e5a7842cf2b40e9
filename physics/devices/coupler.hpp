#pragma once

#include <string>
#include <vector>

#include "physics/core/field.hpp"
#include "physics/core/units.hpp"
#include "physics/core/warning.hpp"

namespace optinc {

/// Lossless directional coupler DC(eta) = [[cos eta, i sin eta], [i sin eta, cos eta]]: the solution of
/// coupled-mode theory da/dz = i kappa b over a length L with eta = kappa L (Yariv 1973). Power cross-coupling
/// sin^2 eta; a 50:50 splitter has eta = pi/4. `eta_rad` in rad.
Matrix2 coupler(double eta_rad);

/// A 2x2 coupler as it is built: splitting angle at one wavelength, its relative slope, and what it loses.
/// Defaults: typical of a directional coupler without broadband design. Slope:
/// assumed between what one silicon die shows (docs/measured.md), 0.3 %/nm in 50:50 couplers of 150 nm gap and
/// 0.5 %/nm in weak couplers of rings. Loss: assumed, 0.02..0.3 dB.
struct DirectionalCoupler {
  double eta_rad = constants::pi / 4;     ///< splitting angle at `wavelength_m`, pi/4 + delta
  double eta_relative_slope_per_m = 4e6;  ///< (d eta/d wavelength) / eta: 0.4 %/nm, 3.1e-3 rad/nm at 50:50
  double wavelength_m = 1550e-9;          ///< where eta_rad holds
  double excess_loss_db = 0.05;           ///< of both outputs together
};

/// Angle of a coupler after a change of wavelength: eta (1 + r change). The angle is the coupling coefficient
/// times the length, and the wavelength changes the coefficient: a weak coupler changes in proportion.
constexpr double detuned_eta_rad(double eta_rad, double relative_slope_per_m, double change_m) {
  return eta_rad * (1 + relative_slope_per_m * change_m);
}

/// Splitting angle eta(lambda) = eta_0 (1 + r (lambda - lambda_0)), rad. All couplers of a chip move together
/// with the wavelength, unlike their fabrication errors. A slope of S rad/m that does not depend on the angle
/// is r = S / eta_0.
double coupler_eta_rad(const DirectionalCoupler& device, double wavelength_m);

/// Transfer matrix 10^(-IL/20) DC(eta(lambda)). Throws Error for an impossible device (validate_coupler).
Matrix2 directional_coupler(const DirectionalCoupler& device, double wavelength_m);

/// Throws Error, naming the field, for a loss < 0, a wavelength <= 0 or a value that is not finite.
void validate_coupler(const DirectionalCoupler& device);

/// Legal values outside the ranges given with the fields; empty if there are none.
std::vector<Warning> coupler_warnings(const DirectionalCoupler& device);

}  // namespace optinc
