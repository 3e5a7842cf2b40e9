#pragma once

#include <vector>

namespace optinc {

/// Thermo-optic heater on a die: two thermal nodes in series to ambient. Defaults: heater of Harris et al. 2014
/// (P_pi = 24.77 mW, 130 kHz; R_th and C_th follow from DT_pi = 69.9 K), die from its geometry (physics.md 3.1,
/// 6).
struct HeaterOnDie {
  double heater_resistance_k_per_w = 2822.0;  ///< heater to die
  double heater_capacity_j_per_k = 4.34e-10;
  double die_resistance_k_per_w = 0.5;  ///< die to ambient
  double die_capacity_j_per_k = 0.46;
};

/// Temperature rises over ambient, K.
struct ThermalState {
  double heater_k = 0.0;
  double die_k = 0.0;
};

/// Step response: ambient temperature everywhere at t = 0, then constant heater power. Integrates
///   C_h dT_h/dt = P - (T_h - T_d)/R_h,   C_d dT_d/dt = (T_h - T_d)/R_h - T_d/R_d
/// with Boost.Odeint (dense-output Dormand-Prince 5, tolerance 1e-10 relative and in K) and returns the state
/// at each of `times_s` (ascending, >= 0). Explicit, so the work grows with times_s.back() / (R_h C_h): meant
/// for windows of up to some thousand heater time constants. Throws Error for non-positive constants or
/// unordered times.
std::vector<ThermalState> thermal_step_response(const HeaterOnDie& device, double power_w,
                                                const std::vector<double>& times_s);

/// Steady state of the same step: the die at R_d P, the heater R_h P above it.
ThermalState thermal_steady_state(const HeaterOnDie& device, double power_w);

}  // namespace optinc
