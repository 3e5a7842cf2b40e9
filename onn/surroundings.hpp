#pragma once

#include "onn/chip.hpp"

namespace optinc {

/// How a chip's phases answer to what changes around it. Defaults and sources: physics.md sections 2, 3 and 6.
struct SensitivitySettings {
  double imbalance_m =
      1e-6;  ///< rms difference of the optical path lengths that a shifter's two arms should share
  double heater_per_k = 0.0;  ///< relative change of a heater's phase per K: 0 at constant power; -1e-3 to
                              ///< -2e-3 at constant voltage (resistance of the metal)
  double splitter_rad_per_m = 4e6;  ///< change of every splitter's angle with wavelength: 4e-3 rad/nm
};

/// Throws Error, naming field, value and range.
void validate_sensitivity(const SensitivitySettings& settings);

/// Change of the surroundings since the chip was calibrated.
struct Surroundings {
  double temperature_k = 0.0;  ///< of the die
  double wavelength_m = 0.0;   ///< of the laser

  bool operator==(const Surroundings&) const = default;
};

/// Path difference of every shifter's two arms, m: theta, phi and output screen of each mesh. They make no
/// phase error of their own, for calibration takes the static part away.
struct MeshImbalance {
  Vector theta_m, phi_m, output_m;
};
struct ChipImbalance {
  std::vector<std::vector<MeshImbalance>> meshes, attenuators;  ///< [layer][block]
};

/// Draws every path difference of chip number `chip` ~ N(0, imbalance_m). Same (seed, chip), same chip.
ChipImbalance draw_imbalance(const ChipDesign& design, const SensitivitySettings& settings, std::uint64_t seed,
                             std::uint32_t chip);

/// The chip's errors where the surroundings have changed. A shifter with phase p and path difference dL is off
/// by
///
///     (2 pi / lambda) (dn/dT) dL dT  +  p c dT  -  (2 pi n_g / lambda^2) dL dlambda
///
/// on top of its offset (an MZI with equal arms sees no uniform temperature), and every splitter angle by
/// S_eta dlambda.
ChipErrors errors_in(const Surroundings& change, const ChipErrors& at_calibration, const ChipProgram& program,
                     const ChipImbalance& imbalance, const SensitivitySettings& settings);

/// rms over all MZI phases of the difference of two states of one chip, rad.
double phase_change_rms(const ChipErrors& a, const ChipErrors& b);

}  // namespace optinc
