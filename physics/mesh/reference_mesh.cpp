#include "physics/mesh/reference_mesh.hpp"

namespace optinc {

Matrix reference_transfer_matrix(const MeshTopology& topology, const MeshBlocks& mesh) {
  Matrix u = Matrix::Identity(topology.ports, topology.ports);
  std::size_t k = 0;
  for (int c = 0; c < topology.columns(); ++c) {
    Matrix column = mesh.idle_factor * Matrix::Identity(topology.ports, topology.ports);
    for (const auto& [upper, lower] : topology.column(c)) {
      const Matrix2& t = mesh.blocks[k];
      column(upper, upper) = t(0, 0);
      column(upper, lower) = t(0, 1);
      column(lower, upper) = t(1, 0);
      column(lower, lower) = t(1, 1);
      ++k;
    }
    u = (column * u).eval();
  }
  return mesh.screen.asDiagonal() * u;
}

Matrix reference_transfer_matrix(const MeshTopology& topology, const MeshProgram& program,
                                 const MeshErrors& errors) {
  return reference_transfer_matrix(topology, mesh_blocks(topology, program, errors));
}

}  // namespace optinc
