#include "physics/mesh/reference_mesh.hpp"

namespace optinc {

Matrix reference_transfer_matrix(const MeshTopology& topology, const MeshProgram& program,
                                 const MeshErrors& errors) {
  Matrix u = Matrix::Identity(topology.ports, topology.ports);
  int k = 0;
  for (int c = 0; c < topology.columns(); ++c) {
    Matrix column = column_field_factor(errors) * Matrix::Identity(topology.ports, topology.ports);
    for (const auto& [upper, lower] : topology.column(c)) {
      const Matrix2 t = mzi(program.mzi(k), errors.mzi(k));
      column(upper, upper) = t(0, 0);
      column(upper, lower) = t(0, 1);
      column(lower, upper) = t(1, 0);
      column(lower, lower) = t(1, 1);
      ++k;
    }
    u = (column * u).eval();
  }
  for (int p = 0; p < topology.ports; ++p)
    u.row(p) *= std::polar(1.0, program.output_phase[p] + errors.output_offset[p]);
  return u;
}

}  // namespace optinc
