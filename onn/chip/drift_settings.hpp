#pragma once

#include "physics/core/units.hpp"
#include "physics/devices/coupler.hpp"

namespace optinc {

/// Change of the environment since the chip was calibrated.
struct Environment {
  double temperature_k = 0.0;  ///< of the die
  double wavelength_m = 0.0;   ///< of the laser

  bool operator==(const Environment&) const = default;
};

/// How a chip's phases answer to what changes around it. Defaults: assumed, but for splitters, which are
/// directional couplers.
struct SensitivitySettings {
  double imbalance_m =
      1e-6;  ///< rms difference of the optical path lengths that a shifter's two arms should share
  double heater_per_k = 0.0;   ///< relative change of a heater's phase per K: 0 at constant power; -1e-3 to
                               ///< -2e-3 at constant voltage (resistance of the metal)
  double splitter_rad_per_m =  ///< change of a 50:50 splitter's angle with wavelength; others in proportion
      constants::pi / 4 * DirectionalCoupler{}.eta_relative_slope_per_m;
};

/// What changes around a chip in operation, and what the operator does about it. Defaults are
/// assumed.
struct DriftSettings {
  int instants = 361;            ///< looked at, the first right after calibration
  double interval_s = 10.0;      ///< between them
  double recalibrate_s = 600.0;  ///< between calibrations (variant "recalibrated")
  double failed_share = 0.05;    ///< of checked blocks that fail, above which variant "checked" calibrates
  double warm_up_s = 5.0;        ///< between switching the heaters on and the first calibration
  double ramp_k_per_s = 0.0;     ///< ambient: steady rise
  double sine_k = 1.0;           ///< ambient: amplitude of a swing
  double sine_period_s = 900.0;  ///< ambient: its period
  double ou_k = 0.05;            ///< ambient: rms of a random walk about it (Ornstein-Uhlenbeck)
  double ou_time_s = 10.0;       ///< ambient: its correlation time
  double controlled = 0.0;       ///< share of every change that a temperature controller takes away, 0..1
  double laser_m = 5e-12;        ///< rms drift of the laser's wavelength (Ornstein-Uhlenbeck)
  double laser_time_s = 300.0;   ///< its correlation time
  double light_db = 0.0;  ///< rms drift of the servers' light where it meets (Ornstein-Uhlenbeck), all alike:
                          ///< lasers, connectors; gains and thresholds stay those of the last calibration
  double light_time_s = 3600.0;  ///< its correlation time
  SensitivitySettings sensitivity;
};

/// Throw Error, naming field, value and range.
void validate_sensitivity(const SensitivitySettings& settings);
void validate_drift(const DriftSettings& settings);

}  // namespace optinc
