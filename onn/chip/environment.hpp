#pragma once

#include "onn/chip/chip.hpp"
#include "onn/chip/drift_settings.hpp"
#include "onn/hardware/unit_hardware.hpp"

namespace optinc {

/// Path difference of every shifter's two arms, m: theta, phi and output screen of each mesh. They make no
/// phase error of their own, for calibration takes the static part away.
struct MeshImbalance {
  Vector theta_m, phi_m, output_m;
};
/// The same of every mesh and every column of attenuators of a chip.
struct ChipImbalance {
  std::vector<std::vector<MeshImbalance>> meshes, attenuators;  ///< [layer][block]
};

/// Draws every path difference of chip number `chip` ~ N(0, imbalance_m). Same (seed, chip), same chip.
ChipImbalance draw_imbalance(const ChipDesign& design, const SensitivitySettings& settings, std::uint64_t seed,
                             std::uint32_t chip);

/// The chip's errors where the environment has changed. A shifter with phase p and path difference dL is off
/// by
///
///     (2 pi / lambda) (dn/dT) dL dT  +  p c dT  -  (2 pi n_g / lambda^2) dL dlambda  -  p dlambda / lambda
///
/// on top of its offset (an MZI with equal arms sees no uniform temperature; p as programmed, in [0, 2 pi):
/// what its heater makes, (2 pi L / lambda) (dn/dT) times its rise), and every splitter angle by S_eta dlambda.
ChipErrors errors_in(const Environment& change, const ChipErrors& at_calibration, const ChipProgram& program,
                     const ChipImbalance& imbalance, const SensitivitySettings& settings,
                     const UnitHardware& hardware);

/// rms over all MZI phases of the difference of two states of one chip, rad.
double phase_change_rms(const ChipErrors& a, const ChipErrors& b);

}  // namespace optinc
