#pragma once

#include "physics/variation/random_field.hpp"

namespace optinc {

/// How factorise_circulant lays its grid where the settings leave it the choice, m.
struct GridChoice {
  double least_step_m = 0;   ///< a lattice finer than this is not followed
  double free_step_m = 0;    ///< step where sites lie on no lattice
  double half_period_m = 0;  ///< padding to begin with
};

/// Fills the circulant part of `field` (random_field.hpp says how). Throws Error where the grid gets too large
/// or eigenvalues stay negative.
void factorise_circulant(const Sites& sites, const std::function<double(double)>& rho, const GridChoice& choice,
                         const FieldSettings& settings, RandomField& field);

/// draw_field_pair of a field factorised by factorise_circulant: real and imaginary part of
/// FFT(amplitude * (n_1 + i n_2)) at the sites.
Eigen::MatrixXd draw_circulant_pair(const RandomField& field, Stream& stream);

}  // namespace optinc
