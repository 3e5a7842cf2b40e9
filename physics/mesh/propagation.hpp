#pragma once

#include "physics/mesh/program.hpp"

namespace optinc {

/// A mesh frozen in one state: the 2x2 matrix of every MZI and the output screen, ready to act on fields.
struct MeshState {
  std::vector<Matrix2> mzis;  ///< topology order
  double idle_factor = 1.0;   ///< field factor of a waveguide that passes a column without an MZI
  Eigen::VectorXcd output;    ///< output screen, (ports)
};

/// Sets up the state from settings and errors.
MeshState settle(const MeshProgram& program, const MeshErrors& errors);

/// Sends fields (ports, words) through the mesh, in place. The scaled direct kernel
/// (physics/mesh/engine) does the work. Throws Error when the ports differ or a matrix lets no light pass.
void propagate(const MeshTopology& topology, const MeshState& state, FieldBatch& fields);

/// Transfer matrix (ports, ports) of a settled mesh: the unit vectors sent through it.
Matrix transfer_matrix(const MeshTopology& topology, const MeshState& state);

}  // namespace optinc
