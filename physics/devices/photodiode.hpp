#pragma once

#include <string>
#include <vector>

#include "physics/core/warning.hpp"

namespace optinc {

/// Photodiode. Defaults and ranges: typical of germanium on silicon.
struct PhotodiodeSettings {
  double responsivity_a_per_w = 0.9;  ///< (0.6-1.1)
  double dark_current_a = 30e-9;      ///< (1-200 nA)
};

/// Throws Error, naming the field, for a responsivity <= 0 or a dark current < 0.
void validate_photodiode(const PhotodiodeSettings& diode);

/// What is legal but no photodiode without gain, one sentence each: a responsivity above the quantum limit
/// q lambda/(h c) at the wavelength, a dark current above 200 nA. Throws Error for a wavelength <= 0.
std::vector<Warning> photodiode_warnings(const PhotodiodeSettings& diode, double wavelength_m = 1550e-9);

/// Mean current, A: R P + I_d.
double photocurrent_a(const PhotodiodeSettings& diode, double power_w);

/// Shot noise variance, A^2: 2 q (R P + I_d) B.
double shot_variance_a2(const PhotodiodeSettings& diode, double power_w, double bandwidth_hz);

/// Responsivity that a quantum efficiency allows, A/W: eta q lambda/(h c); 1.25 A/W at 1550 nm and eta = 1.
double responsivity_a_per_w(double quantum_efficiency, double wavelength_m);

}  // namespace optinc
