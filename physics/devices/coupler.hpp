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

/// d DC(eta)/d eta = [[-sin eta, i cos eta], [i cos eta, -sin eta]], per rad.
Matrix2 coupler_derivative(double eta_rad);

/// A 2x2 coupler as it is built: splitting angle at one wavelength, its slope, and what it loses. Defaults:
/// typical of a directional coupler without broadband design (assumed; slope 3e-3..5e-3 rad/nm, loss 0.02..0.3
/// dB).
struct DirectionalCoupler {
  double eta_rad = constants::pi / 4;  ///< splitting angle at `wavelength_m`, pi/4 + delta
  double eta_slope_rad_per_m = 4e6;    ///< d eta/d wavelength: 4e-3 rad/nm
  double wavelength_m = 1550e-9;       ///< where eta_rad holds
  double excess_loss_db = 0.05;        ///< of both outputs together
};

/// Splitting angle eta(lambda) = eta_0 + S (lambda - lambda_0), rad. All couplers of a chip move together with
/// the wavelength, unlike their fabrication errors.
double coupler_eta_rad(const DirectionalCoupler& device, double wavelength_m);

/// Transfer matrix 10^(-IL/20) DC(eta(lambda)). Throws Error for an impossible device (validate_coupler).
Matrix2 directional_coupler(const DirectionalCoupler& device, double wavelength_m);

/// Its derivative by eta, per rad; by the wavelength it is eta_slope_rad_per_m times that.
Matrix2 directional_coupler_derivative(const DirectionalCoupler& device, double wavelength_m);

/// Throws Error, naming the field, for a loss < 0, a wavelength <= 0 or a value that is not finite.
void validate_coupler(const DirectionalCoupler& device);

/// Legal values outside the ranges given with the fields; empty if there are none.
std::vector<Warning> coupler_warnings(const DirectionalCoupler& device);

/// Two parallel guides whose propagation constants differ.
struct MismatchedCoupler {
  double coupling_per_m = 0.0;    ///< kappa
  double delta_beta_per_m = 0.0;  ///< beta of the upper guide less beta of the lower
  double length_m = 0.0;          ///< >= 0
};

/// Transfer matrix of coupled-mode theory with mismatch, da/dz = i (delta_beta/2) a + i kappa b,
/// db/dz = i kappa a - i (delta_beta/2) b (the mean propagation constant belongs to the waveguide): with s =
/// sqrt(kappa^2 + (delta_beta/2)^2),
///   cross elements i (kappa/s) sin(s L), bars cos(s L) + i (delta_beta/2s) sin(s L) and its conjugate below.
/// The conjugate keeps it unitary. No more than kappa^2/s^2 of the power crosses. Throws Error for a negative
/// length or a value that is not finite.
Matrix2 mismatched_coupler(const MismatchedCoupler& device);

/// Derivatives of that matrix by kappa (m), by delta_beta (m) and by the length (1/m); regular at s L = 0.
struct MismatchedCouplerDerivatives {
  Matrix2 coupling, delta_beta, length;
};
MismatchedCouplerDerivatives mismatched_coupler_derivatives(const MismatchedCoupler& device);

/// Largest share of power that a mismatched coupler passes over at any length, kappa^2 / s^2; 0 without
/// coupling.
double most_cross_power(const MismatchedCoupler& device);

}  // namespace optinc
