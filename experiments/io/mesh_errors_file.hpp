#pragma once

#include <filesystem>

#include "physics/mesh/program.hpp"
#include "physics/mesh/topology.hpp"

namespace optinc {

/// What was measured of a mesh, a row an MZI (read_columns(): .csv, .npy, .npz): columns `column` and `upper`
/// (its column and upper port, from 0) and any of alpha_rad, beta_rad, theta_offset_rad, phi_offset_rad,
/// theta_arm_loss_db, phi_arm_loss_db, theta_other_loss_db, phi_other_loss_db in any order; what is left out is
/// 0. Arrays of NumPy without `column` and `upper` are in the order of the mesh's MZIs. Waveguides that pass a
/// column lose what the arms lose in the mean. Throws Error, naming the row, for an unknown column, an MZI that
/// the mesh does not have, one that is there twice, and a negative loss; names the first that is missing.
MeshErrors read_mesh_errors(const std::filesystem::path& path, const MeshTopology& topology);

}  // namespace optinc
