#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "physics/core/field.hpp"
#include "physics/core/tangent.hpp"
#include "physics/core/units.hpp"
#include "physics/core/warning.hpp"
#include "physics/devices/pam4_levels.hpp"

namespace optinc {

/// Field of an amplitude-encoded PAM4 digit, sqrt(W): linear in the digit, E = (d/3) sqrt(P_3), with P_3 the
/// power of digit 3 in W. Fields so encoded may be averaged coherently; an intensity-encoded digit
/// (E = sqrt(d/3 P_3), Ethernet's) must not be (docs/guide/theory.md, averaging with light): `pam4_levels.hpp`
/// keeps them apart.
double pam4_field_sqrt_w(double digit, double full_scale_power_w);

/// Push-pull Mach-Zehnder modulator biased at its null. Defaults and ranges: typical of silicon and
/// thin-film lithium niobate (40..100 GHz: Weigel et al., Opt. Express 26, 23728, 2018).
struct MzmSettings {
  double v_pi_v = 4.0;             ///< half-wave voltage (1-7)
  double insertion_loss_db = 4.0;  ///< at full transmission (1-12)
  double leak = 0.0;               ///< eps, field at the null of full scale: 10^(-extinction/20), 28 dB: 0.04
  double bandwidth_hz = 40e9;      ///< 3 dB, electro-optic; a `Lowpass` before the drive (20-110 GHz)
  bool linearised = true;          ///< the drive undoes the sine; otherwise it is linear in the level
  double driver_j = 0.0;  ///< E of drive_energy_j(): a linear driver draws its current whatever it sends
  double drive_capacitance_f = 62.5e-15;  ///< C of drive_energy_j(); 62.5 fF: 1 pJ a symbol of 4 V (assumed)
  std::string_view device =
      "typical-modulator";  ///< part that the values above come from, but for those changed
  std::string_view driver = "assumed-1pj-driver";  ///< the same of its two energies
};

/// Throws Error, naming the field, for V_pi or bandwidth <= 0, negative loss or capacitance, a leak outside [0,
/// 1).
void validate_mzm(const MzmSettings& modulator);

/// Legal but implausible values, one sentence each: V_pi, loss or bandwidth beyond the ranges above, a leak
/// above 0.18 (15 dB).
std::vector<Warning> mzm_warnings(const MzmSettings& modulator);

/// Field factor E_out/E_in at a drive voltage: 10^(-IL/20) (sin x + i eps cos x), x = pi V / (2 V_pi):
/// odd in V (the field's sign is the drive's) but for the leak in quadrature.
Complex mzm_field_factor(const MzmSettings& modulator, double drive_v);

/// Drive that makes the in-phase field linear in the level, V = (2/pi) V_pi asin(level), in [-V_pi, V_pi]:
/// digits 0..3 at 0, 0.21635, 0.46456, 1 V_pi. Throws Error for |level| > 1.
double mzm_drive_v(const MzmSettings& modulator, AmplitudeLevel level);

/// Field, of that at full transmission, that a drive for this level leaves: the drive of mzm_drive_v() where
/// the modulator is linearised, V = level V_pi where it is not; beyond +-1 the driver is at its limit.
///
///   linearised       level + i eps sqrt(1 - level^2)
///   not linearised   sin(pi/2 level) + i eps cos(pi/2 level)
Complex mzm_field_of_level(const MzmSettings& modulator, double level);

/// Power, of that at full transmission, that a drive for this intensity level leaves: the drive of
/// mzm_drive_v() where the modulator is linearised, V = level V_pi where it is not; outside [0, 1] the driver
/// is at its limit.
///
///   linearised       level + eps^2 (1 - level)
///   not linearised   sin^2(pi/2 level) + eps^2 cos^2(pi/2 level)
double mzm_power_of_level(const MzmSettings& modulator, IntensityLevel level);

/// Drive for a level, V, in [-V_pi, V_pi]: (2/pi) V_pi asin(level) where linearised, level V_pi where not.
/// Real: double, or a number with derivatives.
template <class Real>
Real mzm_level_drive_v(const MzmSettings& modulator, Real level) {
  using std::asin;
  if (!(level < Real(1))) return modulator.v_pi_v;
  if (!(level > Real(-1))) return -modulator.v_pi_v;
  if (modulator.linearised) return modulator.v_pi_v * 2 / constants::pi * asin(level);
  return modulator.v_pi_v * level;
}

/// Electrical energy that a driver takes for a symbol whose levels need a swing of so many volts, J: E + C V^2.
/// E is that of a linear driver, which draws its current whatever it sends. C is an effective capacitance: it
/// holds the losses of a driver that switches. O/E/O takes 1-3 pJ a symbol at some 4 V. Real: double, or a
/// number with derivatives.
template <class Real>
Real drive_energy_j(const MzmSettings& modulator, const Real& swing_v) {
  return modulator.driver_j + modulator.drive_capacitance_f * swing_v * swing_v;
}

/// Drive that makes the power linear in the level, V = (2/pi) V_pi asin(sqrt(level)): digits 0..3 at 0,
/// 0.39183, 0.60817, 1 V_pi. Throws Error for a level outside [0, 1].
double mzm_drive_v(const MzmSettings& modulator, IntensityLevel level);

/// Bonded lithium niobate on silicon, 102 GHz electrical 3 dB bandwidth, V_pi L = 6.6 V cm (P. O. Weigel et al.
/// 2018, Opt. Express 26, 23728; arXiv:1803.10365, abstract); V_pi follows from the electrode length, m. Loss
/// and leak stay at the defaults: the abstract gives none.
MzmSettings weigel_2018_modulator(double electrode_length_m = 5e-3);

/// Thin-film lithium niobate on silicon, 100 GHz electro-optic bandwidth (above 1 GHz), V_pi L of 2-3 V cm,
/// taken at 2.5 (F. Valdez et al. 2022, arXiv:2211.05208, abstract); V_pi follows from the electrode length, m.
/// Loss and leak stay at the defaults.
MzmSettings valdez_2022_modulator(double electrode_length_m = 5e-3);

}  // namespace optinc
