#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "physics/core/names.hpp"
#include "physics/core/warning.hpp"
#include "physics/devices/dac.hpp"

namespace optinc {

struct ThermoOpticShifter;

/// Statistics of the errors that fabrication, calibration and drive electronics cause in every device of a
/// chip; one draw is a MeshErrors. Their effect on a mesh: docs/guide/theory.md.
struct ErrorModel {
  std::string preset = "ideal";     ///< name the values came from; "custom" once one was changed
  double sigma_eta_rad = 0.0;       ///< rms error of every splitter angle eta = pi/4 + delta
  double rho_ab = 0.0;              ///< correlation of the two splitter errors inside one MZI, -1..1
  double sigma_cal_rad = 0.0;       ///< rms phase offset that calibration leaves on every phase shifter
  double mzi_loss_db = 0.0;         ///< mean insertion loss of one MZI (couplers and both arms)
  double arm_loss_spread_db = 0.0;  ///< rms spread of the loss of every arm about its mean
  int dac_bits = 0;                 ///< phase DAC resolution over 2 pi; 0 means no quantisation
  double sigma_phase_rad = 0.0;     ///< rms phase noise of every shifter, frozen for one block of symbols
  bool dac_voltage =
      false;  ///< the DAC divides heater voltages, not phases: steps grow with the root of the phase
};

/// What the model's DAC divides into equal steps.
inline DacMode dac_mode(const ErrorModel& model) {
  return model.dac_voltage ? DacMode::voltage : DacMode::phase;
}

/// Names of the presets: ideal, design-target, good-lab, metal-heaters, doped-heaters.
std::span<const std::string_view> error_preset_names();

/// Presets of earlier versions: foundry, which mixed the loss of one heater with the power of another. Its
/// errors are those of doped-heaters.
std::span<const FormerName> former_error_presets();

/// The preset of that name: two ordinary foundry runs, a good laboratory's chip, and what a 128-port real mesh
/// needs (design-target). Of the foundry runs, metal-heaters has metal away from the light, so that arms differ
/// by little; doped-heaters has doped silicon in the light of both arms, and takes the 0.13 dB that Harris et
/// al. (2014) give over a wafer, couplers included, as the spread from arm to arm, which is the harshest
/// reading. Values are assumed, inside what is reported for each
/// device. Throws Error, naming the nearest, for an unknown one.
ErrorModel error_preset(std::string_view name);

/// A heater that loses more than 0.25 dB an MZI more, or less, than the model counts: its watts and the model's
/// loss are then of different devices. Two heater stages and couplers of 0.05 dB are expected; none where the
/// model has no loss at all.
std::vector<Warning> heater_loss_warnings(const ErrorModel& model, const ThermoOpticShifter& heater);

/// The model with sigma_eta_rad replaced: an "error level" of a study.
ErrorModel at_splitter_error(ErrorModel model, double sigma_eta_rad);

/// The model with every error and the mean loss times `factor`; correlation and DAC stay. Throws Error for a
/// negative one.
ErrorModel scaled_errors(ErrorModel model, double factor);

/// Mean loss of one arm, dB: half the MZI's, with a spread cut off at 0 dB. For X ~ N(m, s):
/// E[max(0, X)] = m Phi(m/s) + s phi(m/s). Dummies are built to match it, and it is what calibration on the
/// design knows.
double mean_arm_loss_db(const ErrorModel& model);

/// Throws Error, naming it, for a spread or a loss that is negative or not finite.
void validate_spread(std::string_view name, double value);

/// Throws Error, naming field, value and range, where a value is impossible (negative spread, correlation
/// beyond +-1, DAC bits outside 0..24, not finite).
void validate_errors(const ErrorModel& model);

/// Legal but implausible values, one sentence each, the field first: a splitter error above 0.08 rad, a
/// calibration residue above 0.05 rad, phase noise above 0.01 rad and a DAC beyond 16 bits; an MZI above 3.6 dB
/// (two couplers of 0.3 dB and two heaters of 1.5 dB, the most of either); arms that differ by more than 0.4 dB
/// rms (half of what lies between the heaters of 0.02 and 0.8 dB there are).
std::vector<Warning> error_warnings(const ErrorModel& model);

}  // namespace optinc
