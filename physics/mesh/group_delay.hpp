#pragma once

#include "physics/core/field.hpp"

namespace optinc {

/// Group delays of the paths through a mesh, from every input to every output.
struct PathDelays {
  Eigen::MatrixXd delay_s;  ///< (outputs, inputs); NaN where no light arrives
  double mean_s = 0.0;      ///< over all paths, each weighted by its power
  double spread_s = 0.0;    ///< rms about the mean, weighted likewise
};

/// tau = d arg T / d omega of every element of a transfer matrix T (phases grow along a path, core/field.hpp),
///
///     tau_ij = common_s - (lambda^2 / 2 pi c) Im(conj(T_ij) dT_ij/dlambda) / |T_ij|^2,
///
/// with the central difference of T at lambda - step (`below`) and lambda + step (`above`) as dT/dlambda;
/// `common_s`: what all paths take and T leaves out. The mean over paths is that of Wigner and Smith,
/// tr(-i T^H dT/domega) / tr(T^H T) of a lossless mesh. Throws Error where shapes differ, or wavelength or step
/// are not positive.
PathDelays path_delays(const Matrix& transfer, const Matrix& below, const Matrix& above, double wavelength_m,
                       double step_m, double common_s);

}  // namespace optinc
