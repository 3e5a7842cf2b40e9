#pragma once

#include "onn/chip/chip.hpp"
#include "onn/chip/drift_settings.hpp"
#include "onn/hardware/unit_hardware.hpp"
#include "physics/mesh/blocks.hpp"
#include "physics/variation/chip_errors.hpp"

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

/// Phase that a change of the environment makes of a path difference, rad per m of it:
///
///     (2 pi / lambda) (dn/dT) dT  -  (2 pi n_g / lambda^2) dlambda   (730 rad/m per K in silicon).
double path_phase_rad_per_m(const Environment& change, const UnitHardware& hardware);

/// Draws every path difference of chip number `chip` ~ N(0, imbalance_m). Same (seed, chip), same chip.
ChipImbalance draw_imbalance(const ChipDesign& design, const SensitivitySettings& settings, std::uint64_t seed,
                             std::uint32_t chip);

/// Draws those of one mesh. Same address, same mesh.
MeshImbalance draw_mesh_imbalance(const MeshTopology& mesh, const SensitivitySettings& settings,
                                  const MeshAddress& address);

/// The errors of one mesh where the environment has changed. A shifter with phase p and path difference dL is
/// off by
///
///     (2 pi / lambda) (dn/dT) dL dT  +  p c dT  -  (2 pi n_g / lambda^2) dL dlambda  -  p dlambda / lambda
///
/// on top of its offset (an MZI with equal arms sees no uniform temperature; p as programmed, in [0, 2 pi):
/// what its heater makes, (2 pi L / lambda) (dn/dT) times its rise), and every splitter angle by S_eta dlambda
/// eta / (pi/4).
/// `heaters`: the phases that they are asked for.
MeshErrors errors_in(const Environment& change, MeshErrors at_calibration, const MeshProgram& heaters,
                     const MeshImbalance& imbalance, const SensitivitySettings& settings,
                     const UnitHardware& hardware);

/// The same of a mesh of any kind of MZI: a third splitter changes as the other two, fixed quarter waves stay.
MeshVariantErrors errors_in(const Environment& change, MeshVariantErrors at_calibration, MziKind kind,
                            const MeshProgram& heaters, const MeshImbalance& imbalance,
                            const SensitivitySettings& settings, const UnitHardware& hardware);

/// The same of a whole chip, mesh by mesh.
ChipErrors errors_in(const Environment& change, const ChipErrors& at_calibration, const ChipProgram& program,
                     const ChipImbalance& imbalance, const SensitivitySettings& settings,
                     const UnitHardware& hardware);

/// rms over all MZI phases of the difference of two states of one chip, rad.
double phase_change_rms(const ChipErrors& a, const ChipErrors& b);

}  // namespace optinc
