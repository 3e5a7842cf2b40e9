#pragma once

#include <filesystem>

#include "experiments/files/hdf5/hdf5.hpp"
#include "physics/core/field.hpp"
#include "physics/mesh/topology.hpp"

namespace optinc {

/// Heaters of a mesh: theta and phi of every MZI, and one behind every output port.
Eigen::Index heater_count(const MeshTopology& topology);

/// Crosstalk that was measured of a mesh, rad at the receiver per rad of the giver's own phase, (receivers,
/// givers): theta of every MZI in the mesh's order, then phi of every MZI, then the output phases. A .csv has a
/// row a line, numbers parted by commas, no names; an .npy one array with two axes; an .npz one called
/// "crosstalk". Throws Error, naming the line or row, for another size, a number that is not finite, and one on
/// the diagonal that is not 0.
Eigen::MatrixXd read_crosstalk(const std::filesystem::path& path, const MeshTopology& topology);

/// Writes such crosstalk into a group as dataset `crosstalk`.
void save_crosstalk(const Group& group, const Eigen::MatrixXd& rad_per_rad);

/// What save_crosstalk() wrote, bit for bit. Throws Error for another shape or type, and for a number that is
/// not finite or, on the diagonal, not 0.
Eigen::MatrixXd load_crosstalk(const Group& group);

}  // namespace optinc
