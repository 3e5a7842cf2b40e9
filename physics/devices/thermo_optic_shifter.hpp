#pragma once

#include <string>
#include <vector>

#include "physics/core/field.hpp"
#include "physics/core/warning.hpp"

namespace optinc {

/// A resistive heater beside a waveguide as a phase shifter, in the steady state. The phase is linear in the
/// power, phi = pi P / P_pi, and the power is V^2 / R. Defaults: the reference device, harris_2014_heater().
/// Times and heat flow between heaters: physics/thermal/.
struct ThermoOpticShifter {
  double length_m = 61.6e-6;
  double dn_dt_per_k = 1.8e-4;          ///< d n_eff/dT of the heated waveguide
  double p_pi_w = 24.77e-3;             ///< heater power for a phase of pi
  double resistance_ohm = 1000.0;       ///< of the heater when cold
  double resistance_slope_per_k = 0.0;  ///< alpha_R: R = R_0 (1 + alpha_R DT); metals 1e-3..2e-3, 0: none
  double bandwidth_hz = 130e3;          ///< f_3dB = 1/(2 pi tau)
  double loss_db = 0.23;                ///< insertion loss of the heated arm
  double loss_spread_db = 0.13;         ///< its standard deviation from device to device
  double wavelength_m = 1550e-9;
};

/// What follows from those numbers.
struct ThermoOpticFigures {
  double temperature_pi_k = 0.0;            ///< DT_pi = lambda / (2 L dn/dT)
  double thermal_resistance_k_per_w = 0.0;  ///< R_th = DT_pi / P_pi
  double time_constant_s = 0.0;             ///< tau = 1/(2 pi f_3dB)
  double thermal_capacity_j_per_k = 0.0;    ///< C_th = tau / R_th
  double v_pi_v = 0.0;                      ///< V_pi = sqrt(P_pi R_0 (1 + alpha_R DT_pi))
  double power_time_j = 0.0;                ///< P_pi tau: 5..40 mW us (nJ) in all published silicon heaters
};

/// Throws Error as validate_thermo_optic does.
ThermoOpticFigures thermo_optic_figures(const ThermoOpticShifter& device);

/// Phase at a voltage, rad. Without self-heating pi (V/V_pi)^2. With it the hot heater draws less,
/// P = V^2 / (R_0 (1 + alpha_R DT)), DT = DT_pi P/P_pi: with u = phi/pi, a = alpha_R DT_pi and
/// x = V^2/(P_pi R_0) the equation u (1 + a u) = x has the one positive root u = 2x / (1 + sqrt(1 + 4 a x)).
/// The sign of the voltage does not matter. Throws Error for a voltage that is not finite.
double thermo_optic_phase_rad(const ThermoOpticShifter& device, double voltage_v);

/// Voltage >= 0 for a phase, V = sqrt(P_pi R_0 u (1 + a u)). The phase is not wrapped (a heater can be driven
/// beyond 2 pi); throws Error for a negative one, which no heater reaches: wrap it first.
double thermo_optic_voltage_v(const ThermoOpticShifter& device, double phase_rad);

/// Throws Error, naming the field, for what no heater has (length, P_pi, resistance, bandwidth or wavelength
/// <= 0, negative loss or alpha_R).
void validate_thermo_optic(const ThermoOpticShifter& device);

/// Legal values unlike any published heater: above all P_pi tau < 4 mW us (thermal insulation trades power for
/// time, so the product hardly changes: 5.1 mW us is the least reported, Chen et al. 2024), and values outside
/// the ranges given with the fields.
std::vector<Warning> thermo_optic_warnings(const ThermoOpticShifter& device);

/// Doped-silicon heater inside the waveguide of Harris et al., Opt. Express 22, 10487 (2014), arXiv:1410.3616:
/// 61.6 um, P_pi = 24.77 +- 0.43 mW, 130.0 +- 5.6 kHz, 0.23 +- 0.13 dB. Its resistance is not in the abstract;
/// 1 kohm is assumed (V_pi = 4.98 V).
ThermoOpticShifter harris_2014_heater();

/// Folded, suspended heater of a Michelson switch, Lu et al., IEEE Photon. Technol. Lett. (2015),
/// doi 10.1109/LPT.2015.2462341: 50 uW, 10-90 % rise 780 us, so tau = 780 us / 2.197. Length and
/// resistance are not in the abstract: the defaults stay; nor is the loss, assumed as that of
/// typical_metal_heater().
ThermoOpticShifter lu_2015_suspended_heater();

/// Slow-light Bragg-grating heater of a foundry, Chen et al., arXiv:2405.11044 (2024): 50 um, P_pi = 3.63 mW,
/// V_pi = 1.1 V, P_pi tau = 5.1 mW us, 1.3 dB (the least of 1.3..4.4 dB, for the whole MZI).
ThermoOpticShifter chen_2024_slow_light_heater();

/// Metal-clad multimode ("non-Hermitian") heater, Dave et al., Nanophotonics 13, 3945 (2024),
/// doi 10.1515/nanoph-2024-0140: tau = 1.4 us, P_pi tau = 19.1 mW us. Length, resistance and loss are not in
/// the abstract: the defaults stay, the loss as assumed for typical_metal_heater().
ThermoOpticShifter dave_2024_metal_clad_heater();

/// Metal heater above the waveguide, not a specific device: 20 mW of the usual 15..30 mW, 10 us of the usual
/// 3..40 us, alpha_R = 1.5e-3 /K of 1e-3..2e-3. It absorbs no light: 0.05 +- 0.02 dB are assumed for its guide.
ThermoOpticShifter typical_metal_heater();

/// Metal heater on an undercut waveguide, not a specific device: 1 mW and 50 us of the usual 0.05..3 mW, 50
/// us..1 ms.
ThermoOpticShifter typical_undercut_heater();

/// Doped-silicon heater beside the waveguide, not a specific device: the metal heater, 2.5 times as fast, with
/// the loss of harris_2014_heater() (Jacques et al., Opt. Express 27, 10456 (2019)).
ThermoOpticShifter typical_doped_silicon_heater();

}  // namespace optinc
