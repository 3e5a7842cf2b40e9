#pragma once

#include "physics/core/field.hpp"

namespace optinc {

/// Field factor of a phase shifter, 10^(-loss/20) exp(i phi).
Complex phase_shifter(double phi_rad, double loss_db = 0.0);

/// The phase reduced to [0, 2 pi): what a heater is asked for.
double wrap_phase(double phi_rad);

/// Nearest phase of a DAC that divides 2 pi into 2^bits equal steps (result in [0, 2 pi)); bits = 0 returns the
/// wrapped phase unchanged. Rounding error: uniform, rms (2 pi / 2^bits) / sqrt(12).
double quantise_phase(double phi_rad, int bits);

/// Nearest phase a thermo-optic shifter reaches when the DAC divides its drive voltage into equal steps
/// instead. phi = pi (V/V_pi)^2 with V in [0, V_max = sqrt(2) V_pi], one step V_max / 2^bits, so that a step in
/// phase is dphi = 2 sqrt(pi phi) dV / V_pi: twice the uniform step at phi = 2 pi. bits = 0 returns the wrapped
/// phase.
double quantise_voltage(double phi_rad, int bits);

/// Drive voltage of a thermo-optic shifter, V = V_pi sqrt(phi / pi), phi in [0, 2 pi).
double heater_voltage_v(double phi_rad, double v_pi_v);

/// Heater power for a phase, P = P_pi phi / pi, W.
double heater_power_w(double phi_rad, double p_pi_w);

}  // namespace optinc
