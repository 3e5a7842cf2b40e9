#pragma once

#include <string>
#include <vector>

#include "physics/core/field.hpp"

namespace optinc {

/// One thermo-optic phase shifter as its data sheet gives it. Defaults: Harris et al. 2014, Opt. Express 22,
/// 10487 (physics.md 3.1), and the thermo-optic coefficient of silicon.
struct HeaterDesign {
  double length_m = 61.6e-6;    ///< heated waveguide
  double p_pi_w = 24.77e-3;     ///< power for a phase of pi in the heated arm
  double bandwidth_hz = 130e3;  ///< f_3dB of the phase
  double dn_dt_per_k = 1.8e-4;  ///< dn_eff/dT
  double wavelength_m = 1.55e-6;
};

/// Phase of one metre of waveguide that gets one kelvin warmer, 2 pi (dn/dT) / lambda, rad/(m K): 730 in
/// silicon at 1550 nm.
double phase_per_kelvin_metre(double dn_dt_per_k, double wavelength_m);

/// Rise of the heated length that turns the phase by pi, lambda / (2 L dn/dT), K.
double rise_for_pi_k(const HeaterDesign& design);

/// R = rise_for_pi / P_pi, heater to die, K/W.
double heater_resistance_k_per_w(const HeaterDesign& design);

/// tau = 1 / (2 pi f_3dB), s.
double heater_time_constant_s(const HeaterDesign& design);

/// C = tau / R, J/K.
double heater_capacity_j_per_k(const HeaterDesign& design);

/// The die as one thermal node between all heaters and the ambient. Default: 400 mm^2 of 0.7 mm silicon on a
/// good heat sink, tau = 0.23 s (physics.md 6, 15).
struct ThermalDie {
  double resistance_k_per_w = 0.5;  ///< die to ambient
  double capacity_j_per_k = 0.46;
};

/// The heaters of a die by position, m, each with its own constants; all vectors of shape (heaters).
struct HeaterArray {
  Vector x_m, y_m;
  Vector p_pi_w;
  Vector resistance_k_per_w;  ///< heater to die: its own rise per watt of its own
  Vector capacity_j_per_k;
  ThermalDie die;

  Eigen::Index count() const { return x_m.size(); }
};

/// The array of heaters of one design at the places a floor plan gives; x_m and y_m of shape (heaters). Throws
/// Error as validate_heaters does.
HeaterArray uniform_heaters(const Vector& x_m, const Vector& y_m, const HeaterDesign& design = {},
                            const ThermalDie& die = {});

/// Throws Error unless there is at least one heater, all vectors are of its length, positions are finite and
/// every other constant finite and > 0.
void validate_heaters(const HeaterArray& heaters);

/// Phase of a heater per kelvin that it is above its die, pi / (P_pi R), rad/K (heaters).
Vector phase_per_kelvin(const HeaterArray& heaters);

/// What is legal but not built, one line each: P_pi tau below 4 mW us (the product is nearly conserved over
/// published heaters, 5 .. 40 mW us; physics.md 3.1), and a die time constant outside 1 ms .. 100 s.
std::vector<std::string> heater_warnings(const HeaterArray& heaters);

}  // namespace optinc
