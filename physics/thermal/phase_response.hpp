#pragma once

#include "physics/thermal/crosstalk.hpp"

namespace optinc {

/// Steady phases of heaters, phi = Xi P with Xi = diag(rad_per_k) resistance, Xi_ii = pi / P_pi without
/// reference arms. The uniform die temperature is not in it: it acts on both arms alike.
struct PhaseResponse {
  Vector rad_per_k;                 ///< phase of a heater's length per kelvin, pi / (P_pi R) (heaters)
  SparseMatrix resistance_k_per_w;  ///< rise of heated less reference arm i per watt in j (heaters, heaters)
  double die_resistance_k_per_w = 0;
  bool symmetric = true;  ///< resistance_k_per_w is symmetric positive definite: no reference arms

  /// Heaters.
  Eigen::Index count() const { return rad_per_k.size(); }
};

/// Phases of the heated arms alone.
PhaseResponse phase_response(const HeaterArray& heaters, const Crosstalk& crosstalk);

/// Phases of heated arms against reference arms at the given places (heaters): each reference sees the same
/// field of all heaters, its own included, over the same length. P_pi is that of the heated arm alone. Throws
/// Error as reference_resistance_matrix does.
PhaseResponse phase_response(const HeaterArray& heaters, const Crosstalk& crosstalk,
                             const Vector& reference_x_m, const Vector& reference_y_m);

/// The same from what reference_resistance_matrix() gives.
PhaseResponse phase_response(const HeaterArray& heaters, const Crosstalk& crosstalk,
                             const SparseMatrix& reference_k_per_w);

/// Phases of heaters whose constants and crosstalk were measured, phi = (1 + X) diag(pi / P_pi) P: rises count
/// in radians of a heater's own phase, so that rad_per_k is 1. P_pi in W (heaters); X, rad at the receiver
/// (rows) per rad of the giver's own phase (columns), 0 on its diagonal, or empty for none. Nothing is said of
/// the die. Throws Error unless every P_pi is finite and > 0 and X is finite, (heaters, heaters) and 0 on its
/// diagonal.
PhaseResponse measured_response(const Vector& p_pi_w, const Eigen::MatrixXd& crosstalk);

/// phi = Xi P, rad (heaters), for powers in W (heaters).
Vector heater_phases(const PhaseResponse& response, const Vector& power_w);

}  // namespace optinc
