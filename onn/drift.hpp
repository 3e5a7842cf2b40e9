#pragma once

#include "onn/surroundings.hpp"

namespace optinc {

/// What changes around a chip in operation, and what the operator does about it. Defaults and sources:
/// physics.md sections 3, 6 and 15.
struct DriftSettings {
  int instants = 361;            ///< looked at, the first right after calibration
  double interval_s = 10.0;      ///< between them
  double recalibrate_s = 600.0;  ///< between calibrations (variant "recalibrated")
  double warm_up_s = 5.0;        ///< between switching the heaters on and the first calibration
  double ramp_k_per_s = 0.0;     ///< ambient: steady rise
  double sine_k = 1.0;           ///< ambient: amplitude of a swing
  double sine_period_s = 900.0;  ///< ambient: its period
  double ou_k = 0.05;            ///< ambient: rms of a random walk about it (Ornstein-Uhlenbeck)
  double ou_time_s = 10.0;       ///< ambient: its correlation time
  double controlled = 0.0;       ///< share of every change that a temperature controller takes away, 0..1
  double pi_power_w = 1e-3;  ///< heater power for a phase of pi (undercut; 20 mW ones would melt a big chip)
  double die_resistance_k_per_w = 0.5;
  double die_capacity_j_per_k = 0.46;
  double laser_m = 5e-12;       ///< rms drift of the laser's wavelength (Ornstein-Uhlenbeck)
  double laser_time_s = 300.0;  ///< its correlation time
  SensitivitySettings sensitivity;
};

/// Throws Error, naming field, value and range.
void validate_drift(const DriftSettings& settings);

/// What a chip sees, [instant].
struct DriftHistory {
  std::vector<double> time_s;        ///< since the first calibration
  std::vector<double> ambient_k;     ///< over the mean ambient
  std::vector<double> die_k;         ///< over the mean ambient
  std::vector<double> wavelength_m;  ///< over the laser's mean

  /// Change from one instant to another.
  Surroundings between(std::size_t from, std::size_t to) const;
};

/// Draws what chip number `chip` sees while its heaters take `heater_power_w` in all. Ambient
/// T_a(t) = ramp t + a sin(2 pi t / period) + OU; die by C dT/dt = P - (T - T_a)/R, exactly for an ambient that
/// is straight between two instants; a controller leaves (1 - controlled) of what the die does after
/// calibration.
DriftHistory drift_history(const DriftSettings& settings, double heater_power_w, std::uint64_t seed,
                           std::uint32_t chip);

/// Electrical power of all heaters, W: P_pi phase / pi each, phases in [0, 2 pi).
double heater_power_w(const ChipProgram& program, double pi_power_w);

/// Instant of the last calibration at or before each instant, where one is due every `recalibrate_s`.
std::vector<std::size_t> calibration_instants(const DriftSettings& settings);

/// The errors of a chip that was calibrated once more (`number` 1, 2, ..): what fabrication made stays, phase
/// offsets are those that this calibration left.
ChipErrors recalibrated(const ChipErrors& errors, const ErrorModel& model, std::uint64_t seed,
                        std::uint32_t chip, std::uint32_t number);

}  // namespace optinc
