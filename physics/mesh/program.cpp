#include "physics/mesh/program.hpp"

#include "physics/core/units.hpp"

namespace optinc {

MeshErrors no_errors(const MeshTopology& topology) {
  const Vector zero = Vector::Zero(topology.mzi_count());
  return {zero, zero, zero, zero, zero, zero, Vector::Zero(topology.ports), 0.0};
}

double column_field_factor(const MeshErrors& errors) {
  return field_ratio_of_loss_db(2 * errors.other_arm_loss_db);
}

}  // namespace optinc
