#pragma once

#include <cmath>

#include "physics/core/field.hpp"
#include "physics/core/units.hpp"

namespace optinc {

/// Field factor of a phase shifter, 10^(-loss/20) exp(i phi).
Complex phase_shifter(double phi_rad, double loss_db = 0.0);

/// The phase reduced to [0, 2 pi): what a heater is asked for.
inline double wrap_phase(double phi_rad) {
  constexpr double turn = 2 * constants::pi;
  if (phi_rad > 0.0 && phi_rad < turn) return phi_rad;
  const double wrapped = phi_rad - turn * std::floor(phi_rad / turn);
  return wrapped < turn ? wrapped : 0.0;  // a tiny negative phase rounds up to exactly 2 pi
}

/// Heater power for a phase, P = P_pi phi / pi, W.
double heater_power_w(double phi_rad, double p_pi_w);

}  // namespace optinc
