#pragma once

#include <string>
#include <vector>

#include "physics/core/field.hpp"
#include "physics/core/warning.hpp"
#include "physics/devices/thermo_optic_shifter.hpp"

namespace optinc {

/// The die as one thermal node between all heaters and the ambient. Default: 400 mm^2 of 0.7 mm silicon on a
/// good heat sink, tau = R C = 0.23 s; C = 1.66e6 J/(m^3 K) times the volume.
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

  /// Heaters.
  Eigen::Index count() const { return x_m.size(); }
};

/// The array of heaters of one design at the places a floor plan gives; x_m and y_m of shape (heaters). Throws
/// Error as validate_heaters and validate_thermo_optic do.
HeaterArray uniform_heaters(const Vector& x_m, const Vector& y_m, const ThermoOpticShifter& design = {},
                            const ThermalDie& die = {});

/// Throws Error unless there is at least one heater, all vectors are of its length, positions are finite and
/// every other constant finite and > 0.
void validate_heaters(const HeaterArray& heaters);

/// Phase of a heater per kelvin that it is above its die, pi / (P_pi R), rad/K (heaters).
Vector phase_per_kelvin(const HeaterArray& heaters);

/// What is legal but not built, one line each: a time constant outside 1 ms .. 100 s, and a die that
/// `heater_power_w` keeps more than 60 K above its ambient, where none is run.
std::vector<Warning> die_warnings(const ThermalDie& die, double heater_power_w);

}  // namespace optinc
