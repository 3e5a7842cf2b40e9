#pragma once

#include <functional>
#include <vector>

#include "physics/core/enum_names.hpp"
#include "physics/layout/floor_plan.hpp"
#include "physics/random/stream.hpp"

namespace optinc {

/// How the correlation of a process parameter falls with distance d: gaussian exp(-(d/l)^2), smooth, or
/// exponential exp(-d/l), whose variogram 2 s^2 (1 - rho) begins linearly as that of a random walk.
enum class Kernel { gaussian, exponential };

/// As users write them.
template <>
inline constexpr EnumNames enum_names<Kernel> = {"kernel", {"gaussian", "exponential"}};

/// Correlation at `distance_m` of a kernel with correlation length `length_m` (> 0), in (0, 1].
double correlation(Kernel kernel, double length_m, double distance_m);

/// Which sampler a random field uses: automatic takes Cholesky up to FieldSettings::cholesky_sites.
enum class FieldMethod { automatic, cholesky, circulant };

/// How random fields are drawn, and how large they may get.
struct FieldSettings {
  FieldMethod method = FieldMethod::automatic;
  Eigen::Index cholesky_sites = 3000;      ///< above that the correlation matrix gets too large to factorise
  Eigen::Index max_grid_points = 1 << 25;  ///< of the padded grid; a draw takes some 40 bytes each
  double clip_tolerance = 1e-5;            ///< largest error of any covariance that clipping may leave
  double grid_step_x_m = 0, grid_step_y_m = 0;  ///< of the grid; 0: chosen, see factorise_field
};

/// A Gaussian random field of unit variance at fixed sites, factorised once and drawn from for chip after chip.
/// Exactly one of the two parts is in use; made by factorise_field.
struct RandomField {
  /// Four grid nodes around a site (node, node + 1, node + stride, node + stride + 1) and their weights.
  struct Interpolation {
    Eigen::Index node = 0;
    double weight[4] = {1, 0, 0, 0};
  };

  Eigen::Index sites = 0;
  Eigen::MatrixXd cholesky;  ///< lower factor of the correlation matrix (sites, sites); empty for circulant
  double jitter = 0.0;       ///< added to the diagonal so that the factor exists

  Eigen::Index nx = 0, ny = 0;                ///< grid nodes that sites use
  double step_x_m = 0, step_y_m = 0;          ///< of the grid
  Eigen::Index padded_nx = 0, padded_ny = 0;  ///< period of the embedding
  std::vector<double> amplitude;              ///< sqrt(eigenvalue / nodes), shape (padded_nx, padded_ny)
  std::vector<Interpolation> interpolation;   ///< (sites)
  double clipped_share = 0.0;                 ///< sum of clipped negative eigenvalues / nodes
};

/// Factorises the correlation of a kernel at the sites.
///
/// Cholesky: L L^T = C + jitter 1, jitter the least of 0, 1e-12, 1e-10, 1e-8 with which C is positive definite
/// to rounding (reduced correlation matrix: Jhoja et al., Opt. Express 28, 7799 (2020)). Memory 8 sites^2
/// bytes.
///
/// Circulant: the field on a regular grid whose correlation, continued periodically over at least twice the
/// extent, is diagonal in Fourier space (Dietrich and Newsam 1997), then bilinear interpolation, rescaled to
/// unit variance at each site. Along an axis where all sites lie on a lattice the grid is that lattice and
/// nothing is interpolated; otherwise its step is l/32 (gaussian, also where the lattice is finer) or l/64
/// (exponential: increments over less than a step come out too small, so give a step below the distances that
/// matter, or a lattice). The period grows until negative eigenvalues, which are clipped, shift no covariance
/// by more than clip_tolerance.
///
/// Throws Error for a correlation length that is not finite and > 0, sites that are not finite or of unequal
/// count, a grid beyond max_grid_points, or a correlation that is not positive definite.
RandomField factorise_field(const Sites& sites, Kernel kernel, double length_m,
                            const FieldSettings& settings = {});

/// The same for any isotropic correlation rho(distance in m) with rho(0) = 1; `reach_m` is the scale over which
/// it falls (it sets grid steps and the first padding only). Throws Error as above, and where it is not
/// positive definite.
RandomField factorise_field(const Sites& sites, const std::function<double(double)>& rho, double reach_m,
                            const FieldSettings& settings = {});

/// Draws two independent fields of unit variance, columns of a matrix of shape (sites, 2). Cholesky takes
/// 2 * sites normals, first field first; circulant embedding 2 * padded nodes, and gets both from one
/// transform.
Eigen::MatrixXd draw_field_pair(const RandomField& field, Stream& stream);

/// Draws one field (sites): the first of draw_field_pair.
Vector draw_field(const RandomField& field, Stream& stream);

}  // namespace optinc
