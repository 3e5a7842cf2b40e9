#pragma once

#include "physics/devices/mzi.hpp"

namespace optinc {

/// Operator settings of a symmetric Mach-Zehnder interferometer, rad: a phase in each arm between the
/// splitters, none outside. Half their difference mixes the ports, half their sum turns both outputs.
struct SymmetricMziSettings {
  double upper = 0.0;
  double lower = 0.0;
};

/// Errors left by fabrication and calibration. Perfect: all zeros.
struct SymmetricMziErrors {
  double alpha = 0.0;          ///< first splitter: eta = pi/4 + alpha, rad
  double beta = 0.0;           ///< second splitter: eta = pi/4 + beta, rad
  double upper_offset = 0.0;   ///< added to the upper arm's phase, rad
  double lower_offset = 0.0;   ///< added to the lower arm's phase, rad
  double upper_loss_db = 0.0;  ///< upper arm, >= 0
  double lower_loss_db = 0.0;  ///< lower arm, >= 0
};

/// Settings with difference `theta` and mean `common`: +theta/2 on the upper arm, -theta/2 on the lower (rad).
SymmetricMziSettings push_pull(double theta, double common = 0.0);

/// Transfer matrix of a symmetric MZI (Bell and Walmsley, APL Photonics 6, 070804 (2021)):
/// S = DC(pi/4+beta) diag(g_u e^{i upper}, g_l e^{i lower}) DC(pi/4+alpha). Perfect, with theta = upper - lower
/// and common = (upper + lower)/2: S = i e^{i common} [[sin(theta/2), cos(theta/2)],
/// [cos(theta/2), -sin(theta/2)]].
Matrix2 symmetric_mzi(const SymmetricMziSettings& settings, const SymmetricMziErrors& errors = {});

/// Errors of the variants below: those of a standard MZI and what these add. Phases driven push-pull have two
/// arms that can be off: `theta_offset` and `phi_offset` of `mzi` are the differences, all the sums together
/// are `common_offset`.
struct MziVariantErrors {
  MziErrors mzi;
  double gamma = 0.0;          ///< third splitter, in front of phi: eta = pi/4 + gamma, rad
  double common_offset = 0.0;  ///< turns both outputs, rad
  double output_offset = 0.0;  ///< error of the fixed quarter wave on the lower output, rad
};

/// MZI that keeps real fields real (derived here): theta push-pull, phi on the upper input arm, constant
/// phase i removed: R = -i e^{-i theta/2} T with T of mzi(); perfect, [[e^{i phi} s, c], [e^{i phi} c, -s]]
/// with s, c = sin, cos(theta/2), a real matrix for phi = 0 or pi. Ignores gamma and output_offset.
Matrix2 real_mzi(const MziSettings& settings, const MziVariantErrors& errors = {});

/// MZI with a third 50:50 splitter in front of phi (Hamerly, Bandyopadhyay, Englund, Nat. Commun. 13, 6831
/// (2022)): T3 = T DC(pi/4+gamma) with T of mzi(). The two settings that imperfect splitters keep it from
/// (forbidden discs of its splitting ratio s = T3_00/T3_01) lie at s = +-i, not at cross and bar. Uses
/// output_offset not.
Matrix2 three_splitter_mzi(const MziSettings& settings, const MziVariantErrors& errors = {});

/// The same with both phases push-pull, a fixed quarter wave behind its lower output and its constant phase
/// removed (derived here): T3b = K e^{-i (theta+phi)/2} T3, K = conj(i e^{i pi/4}) diag(1, i). Perfect and
/// at theta = pi/2 it is the real matrix [[cos(x - pi/4), cos(x + pi/4)], [cos(x + pi/4), -cos(x - pi/4)]] with
/// x = phi/2: phi carries the weight, and real matrices never come near a forbidden disc.
Matrix2 balanced_three_splitter_mzi(const MziSettings& settings, const MziVariantErrors& errors = {});

}  // namespace optinc
