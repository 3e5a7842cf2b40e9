#pragma once

#include "physics/core/field.hpp"

namespace optinc {

/// Operator settings of one Mach-Zehnder interferometer, rad.
struct MziSettings {
  double theta = 0.0;  ///< internal phase; 0 is cross, pi is bar
  double phi = 0.0;    ///< external phase, input side, upper arm
};

/// Errors left by fabrication and calibration. A perfect MZI is all zeros.
struct MziErrors {
  double alpha = 0.0;                ///< first splitter: eta = pi/4 + alpha, rad
  double beta = 0.0;                 ///< second splitter: eta = pi/4 + beta, rad
  double theta_offset = 0.0;         ///< added to theta, rad
  double phi_offset = 0.0;           ///< added to phi, rad
  double theta_arm_loss_db = 0.0;    ///< upper arm between the splitters (the heater theta), >= 0
  double theta_other_loss_db = 0.0;  ///< lower arm between the splitters
  double phi_arm_loss_db = 0.0;      ///< upper input arm (the heater phi)
  double phi_other_loss_db = 0.0;    ///< lower input arm
};

/// Transfer matrix of an imperfect MZI as the product of its parts (convention: physics/core/field.hpp):
/// T = DC(pi/4+beta) diag(g_u e^{i theta}, g_l) DC(pi/4+alpha) diag(h_u e^{i phi}, h_l).
Matrix2 mzi(const MziSettings& settings, const MziErrors& errors = {});

/// Derivatives of an imperfect MZI's transfer matrix, each the product of its parts with one part replaced by
/// its derivative: d(e^{i x})/dx = i e^{i x}; d DC(eta)/d eta = [[-sin, i cos], [i cos, -sin]]; dg/d(loss in
/// dB) =
/// -(ln 10 / 20) g. Offsets share the derivative of the phase they are added to.
struct MziDerivatives {
  Matrix2 theta, phi;                              ///< per rad
  Matrix2 alpha, beta;                             ///< per rad
  Matrix2 theta_arm_loss_db, theta_other_loss_db;  ///< per dB
  Matrix2 phi_arm_loss_db, phi_other_loss_db;      ///< per dB
};
MziDerivatives mzi_derivatives(const MziSettings& settings, const MziErrors& errors);

/// The same in closed form, without the losses (docs/guide/theory.md; Bandyopadhyay et al., Optica 8, 1247,
/// 2021): with C, S = cos, sin(theta/2),
/// C+- = cos(alpha +- beta), S+- = sin(alpha +- beta),
/// T = e^{i theta/2} [[e^{i phi}(i S C- - C S+),  i C C+ - S S-], [e^{i phi}(i C C+ + S S-),  -i S C- - C S+]].
Matrix2 mzi_closed_form(double theta, double phi, double alpha, double beta);

/// Internal phase theta in [0, pi] at which the lossless MZI with these splitters has the bar power asked for;
/// the nearest one it can reach, `clipped` then set, where that is out of range.
double mzi_theta_for_bar_power(double bar_power, double alpha, double beta, bool& clipped);

}  // namespace optinc
