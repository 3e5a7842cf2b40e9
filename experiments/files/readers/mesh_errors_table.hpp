#pragma once

#include "experiments/files/readers/named_columns.hpp"
#include "physics/mesh/program.hpp"
#include "physics/mesh/topology.hpp"

namespace optinc {

/// What was measured of a mesh: errors, and the power for pi of every heater, W (MZIs); without values:
/// unknown.
struct MeshMeasurement {
  MeshErrors errors;
  Vector theta_p_pi_w, phi_p_pi_w;
};

/// What a table says that was measured of a mesh, a row an MZI, as read_mesh_errors() (chips/) describes it.
/// Throws Error as that does.
MeshMeasurement measured_of_table(const NamedColumns& table, const MeshTopology& topology);

}  // namespace optinc
