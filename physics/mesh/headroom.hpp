#pragma once

#include "physics/mesh/topology.hpp"

namespace optinc {

/// What a real matrix costs in light, and how well it is seen, on a mesh whose arms lose unequally.
struct HeadroomLaw {
  double error =
      0.0;  ///< rms error of what receivers see, |Re T / t - U|_F / sqrt(N), sigma |Im T| / t with it
  double uncorrected = 0.0;  ///< the same with the phases of a mesh without spread
  double headroom_db = 0.0;  ///< t below the mesh's mean loss
  double quadrature = 0.0;   ///< |Im T|_F / (t sqrt(N))
};

/// The best that phases can do for a real orthogonal matrix on a mesh whose arms lose `spread_db` rms about
/// their mean, behind homodyne receivers whose oscillators are off by `oscillator_rad` rms.
///
/// Losses make U (1 + D) of U, D Hermitian. Its real part is symmetric, with the eigenvalues l of Wigner's
/// semicircle of radius 2 e,
///
///     e = (ln 10 / 20) spread sqrt(2 MZIs / N)    (two stages of two arms each; half of the error is real)
///
/// and no change of phases to first order is symmetric and real. To second order one is: exp(i S), S real and
/// symmetric, takes S^2 / 2 >= 0 away, at the price of S in the quadrature. With the target at t = 1 - h of the
/// mean, x = S^2 / 2 of every eigenvector is the best at x = max(0, l + h - sigma^2), and h minimises
///
///     error^2 = < (l + h - x)^2 + 2 sigma^2 x > + sigma^2 e^2 .
///
/// Without sigma the error is 0 at h = 2 e, the largest eigenvalue: 1.0 dB for 16 ports and 0.13 dB. To
/// first order in e: fits also lead light around lossy arms, and need some 0.5 dB less. Our own derivation.
/// Throws Error for negative numbers.
HeadroomLaw headroom_law(const MeshTopology& mesh, double spread_db, double oscillator_rad);

}  // namespace optinc
