#pragma once

#include <filesystem>

#include "experiments/files/hdf5/hdf5.hpp"
#include "experiments/files/readers/mesh_errors_table.hpp"
#include "physics/mesh/program.hpp"
#include "physics/mesh/topology.hpp"

namespace optinc {

/// What was measured of a mesh: group `measured` of an .h5 file (load_measurement(), the twins of optinc twin),
/// or a table with a row an MZI (read_columns(): .csv, .npy, .npz): columns `column` and `upper` (its column
/// and upper port, from 0) and any of alpha_rad, beta_rad, theta_offset_rad, phi_offset_rad, theta_arm_loss_db,
/// phi_arm_loss_db, theta_other_loss_db, phi_other_loss_db, theta_pi_power_w, phi_pi_power_w in any order, or
/// mzi_loss_db for all four arms alike; errors that are left out are 0. Arrays of NumPy without `column` and
/// `upper` are in the order of the mesh's MZIs. Waveguides that pass a column lose what the arms lose in the
/// mean. Throws Error, naming the row, for an unknown column, an MZI that the mesh does not have, one that is
/// there twice, a negative loss, and a power for pi that is not positive; names the first that is missing.
MeshMeasurement read_mesh_errors(const std::filesystem::path& path, const MeshTopology& topology);

/// Whether a file holds one measured mesh, not a whole chip: every extension but .h5 says so, of which a group
/// `measured` does.
bool is_measured_mesh(const std::filesystem::path& path);

/// Writes it into a group: the datasets of save_mesh_errors(), theta_pi_power and phi_pi_power where they were
/// measured.
void save_measurement(const Group& group, const MeshMeasurement& measured);

/// What save_measurement() wrote, bit for bit. Throws Error as load_mesh_errors() does, and for a power for pi
/// that is not positive.
MeshMeasurement load_measurement(const Group& group);

}  // namespace optinc
