#pragma once

#include "onn/chip/chip.hpp"

namespace optinc {

/// Electrical power of all heaters, W: P_pi phase / pi each, phases in [0, 2 pi). Of a program: on a chip
/// without static phases; of what trimmed() makes of it: on one as fabricated. `relative`: P_pi of every heater
/// over pi_power_w (CalibratedChip::heater_power); without layers: 1.
double heater_power_w(const ChipProgram& program, double pi_power_w, const ChipProgram& relative = {});

/// The same of one mesh.
double heater_power_w(const MeshProgram& program, double pi_power_w);

/// Internal phase that an MZI of a mesh of so many ports can be expected to have, rad: the mean over
/// Haar-orthogonal targets (mean_mesh_theta_orthogonal_rad), pi/2 in a tree that adds up, 0 where there is no
/// MZI.
double expected_theta_rad(Wiring wiring, int ports);

/// Power that all heaters of a chip can be expected to take before its network is trained, W: an MZI of a block
/// of n ports takes P_pi (pi + <theta>_n)/pi, <theta>_n of Haar-orthogonal meshes
/// (mean_mesh_theta_orthogonal_rad; pi/2 in a tree) for theta and pi for phi; each block has n(n-1)/2 MZIs in
/// its mesh and n attenuators. The same as HeaterBudget::estimate_w of a design.
double expected_heater_power_w(const Network& network, double pi_power_w);

}  // namespace optinc
