#pragma once

#include "onn/chip/environment.hpp"

namespace optinc {

/// What a chip sees, each (instants).
struct DriftHistory {
  std::vector<double> time_s;  ///< since the first calibration
  Vector ambient_k;            ///< over the mean ambient
  Vector die_k;                ///< over the mean ambient
  Vector wavelength_m;         ///< over the laser's mean
  Vector light_db;             ///< power of the servers' light over its mean

  /// Change from one instant to another.
  Environment between(std::size_t from, std::size_t to) const;
  /// By how many dB the servers' light is stronger at one instant than at another.
  double brighter_db(std::size_t from, std::size_t to) const {
    return light_db[static_cast<Eigen::Index>(to)] - light_db[static_cast<Eigen::Index>(from)];
  }
};

/// Draws what chip number `chip` sees while its heaters take `heater_power_w` in all: ambient_history,
/// wavelength_history, the servers' light and, from `warm_up_s` before the first instant on, die_history: the
/// heater network whose heaters follow the die at once (Integrator::quasi_static), for they do so within
/// microseconds. A controller leaves (1 - controlled) of what the die does after calibration.
DriftHistory drift_history(const DriftSettings& settings, const ThermalDie& die, double heater_power_w,
                           std::uint64_t seed, std::uint32_t chip);

/// Instant of the last calibration at or before each instant, where one is due every `recalibrate_s`.
std::vector<std::size_t> calibration_instants(const DriftSettings& settings);

}  // namespace optinc
