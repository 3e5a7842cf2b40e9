#include "physics/mesh/propagation.hpp"

#include "physics/core/check.hpp"
#include "physics/mesh/engine/direct_kernel.hpp"
#include "physics/mesh/engine/scale.hpp"

namespace optinc {

MeshState settle(const MeshProgram& program, const MeshErrors& errors) {
  MeshState state;
  state.mzis.resize(static_cast<std::size_t>(program.theta.size()));
  for (std::size_t k = 0; k < state.mzis.size(); ++k) {
    const int i = static_cast<int>(k);
    state.mzis[k] = mzi(program.mzi(i), errors.mzi(i));
  }
  state.idle_factor = column_field_factor(errors);
  state.output = (Complex(0, 1) * (program.output_phase + errors.output_offset).cast<Complex>()).array().exp();
  return state;
}

void propagate(const MeshTopology& topology, const MeshState& state, FieldBatch& fields) {
  validate(fields.ports() == topology.ports && state.output.size() == topology.ports &&
               state.mzis.size() == topology.mzis.size(),
           "fields on {} ports meet a mesh of {} ports and {} MZIs, settled with {} and {} (they must agree). "
           "Send one field per port.",
           fields.ports(), topology.ports, topology.mzis.size(), state.output.size(), state.mzis.size());
  const auto words = static_cast<std::size_t>(fields.words());
  propagate_scaled(scale_mesh<double>(topology, state), fields.re.data(), fields.im.data(), words, words);
}

Matrix transfer_matrix(const MeshTopology& topology, const MeshState& state) {
  FieldBatch unit(Matrix::Identity(topology.ports, topology.ports));
  propagate(topology, state, unit);
  return unit.complex();
}

}  // namespace optinc
