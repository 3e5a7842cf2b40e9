#pragma once

#include "physics/core/field.hpp"

namespace optinc {

/// Phase between two arms that differ in length by dL at a common rise T, (2 pi dn/dT / lambda) dL T, rad:
/// 0.146 rad per K and 200 um of silicon, and none for equal arms.
double imbalance_phase_rad(double imbalance_m, double rise_k, double dn_dt_per_k = 1.8e-4,
                           double wavelength_m = 1.55e-6);

/// Phase between two arms of length L whose places are a pitch apart along a temperature gradient,
/// (2 pi dn/dT / lambda) L pitch gradient, rad.
double gradient_phase_rad(double arm_length_m, double pitch_m, double gradient_k_per_m,
                          double dn_dt_per_k = 1.8e-4, double wavelength_m = 1.55e-6);

/// Phase between two arms that differ in length by dL when the wavelength grows by dlambda, rad, to first
/// order: -2 pi n_g dL dlambda / lambda^2 (a longer wave fits fewer times).
double laser_drift_phase_rad(double imbalance_m, double wavelength_shift_m, double group_index = 4.198,
                             double wavelength_m = 1.55e-6);

/// Phase of a fibre that gets warmer, (2 pi / lambda)(dn/dT + n alpha) L T, rad: 37 rad/(m K) for silica
/// (dn/dT = 8.4e-6 /K, n = 1.468, alpha = 5.5e-7 /K).
double fibre_phase_rad(double length_m, double rise_k, double wavelength_m = 1.55e-6);

/// The two arms behind every heater; each vector (heaters) or empty for zeros.
struct ArmPairs {
  Vector imbalance_m;           ///< heated arm less reference arm, as fabricated
  Vector length_m;              ///< of both arms
  Vector pitch_x_m, pitch_y_m;  ///< place of the heated arm less that of its reference
};

/// Phase errors as a linear map of what drifts, each vector (heaters): error_i = static_i + rad_per_k_i T
/// + rad_per_k_per_m_x_i g_x + .. + rad_per_m_i dlambda. Programming is done once; an instant is one pass over
/// vectors.
struct PhaseDrift {
  Vector static_rad;                            ///< what programming left (static_phase_errors_rad)
  Vector rad_per_k;                             ///< arm imbalance under a uniform die temperature
  Vector rad_per_k_per_m_x, rad_per_k_per_m_y;  ///< arm pitch under a gradient
  Vector rad_per_m;                             ///< arm imbalance under laser drift
};

/// What drifts, at the same instants; each vector (instants) or empty for zeros.
struct DriftHistory {
  Vector
      die_k;  ///< die temperature less that of the calibration: its imbalance phase is part of the calibration
  Vector gradient_x_k_per_m, gradient_y_k_per_m;
  Vector wavelength_shift_m;

  /// Instants of the longest of them.
  Eigen::Index instants() const;
};

/// The map for heaters with `static_rad` left from programming. Throws Error for a part of `arms` that has
/// neither as many values nor none, or that is not finite.
PhaseDrift phase_drift(const Vector& static_rad, const ArmPairs& arms, double dn_dt_per_k = 1.8e-4,
                       double wavelength_m = 1.55e-6, double group_index = 4.198);

/// Phase errors at instant k, rad, into `error_rad` (heaters). Throws Error for an instant that is not in every
/// history given.
void phase_errors_at(const PhaseDrift& drift, const DriftHistory& history, Eigen::Index k,
                     Eigen::Ref<Vector> error_rad);

/// Phase errors at all instants, rad (heaters, instants).
Eigen::MatrixXd phase_errors(const PhaseDrift& drift, const DriftHistory& history);

/// Largest change of any phase from one instant to the next, rad; 0 for one instant. A frozen mesh stands for a
/// block of symbols while this is below 1e-4 rad over the block (physics.md 16).
double largest_phase_step_rad(const PhaseDrift& drift, const DriftHistory& history);

}  // namespace optinc
