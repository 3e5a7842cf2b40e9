#pragma once

namespace optinc {

/// Mean internal phase of the MZI of rank k in a mesh that realises a Haar-random orthogonal matrix, rad: the
/// bar field |x| = sin(theta/2) is one component of a random direction in k + 1 dimensions, whose angle psi =
/// theta/2 has the density cos^(k-1) psi, so that
///
///     <theta_k> = 2 J_{k-1}/I_{k-1},   I_m = int cos^m psi,  J_m = int psi cos^m psi  over 0..pi/2
///
/// (bar power ~ Beta(1/2, k/2); pi/2 for k = 1, sqrt(8/(pi k)) for large k). Throws Error for k < 1.
double mean_theta_orthogonal_rad(int rank);

/// The same over all MZIs of a mesh of `ports` ports, of which N - k have rank k: 0.47 at 64 ports, 0.34 at
/// 128. (A Haar-random unitary has larger phases: Russell et al. 2017, New J. Phys. 19, 033007.) Throws Error
/// for fewer than 2 ports.
double mean_mesh_theta_orthogonal_rad(int ports);

}  // namespace optinc
