#include "physics/mesh/program.hpp"

#include "physics/core/check.hpp"
#include "physics/core/units.hpp"

namespace optinc {
namespace {

void require(const char* what, Eigen::Index size, Eigen::Index wanted, const char* things) {
  validate(size == wanted, "{} has {} values for a mesh of {} {} (one each). Give {}.", what, size, wanted,
           things, wanted);
}

}  // namespace

template <class Real>
void validate_program(const MeshTopology& t, const MeshProgramOf<Real>& p) {
  require("theta", p.theta.size(), t.mzi_count(), "MZIs");
  require("phi", p.phi.size(), t.mzi_count(), "MZIs");
  require("output_phase", p.output_phase.size(), t.ports, "ports");
}

template <class Real>
void validate_errors(const MeshTopology& t, const MeshErrorsOf<Real>& e) {
  const Eigen::Index mzis = t.mzi_count();
  require("alpha", e.alpha.size(), mzis, "MZIs");
  require("beta", e.beta.size(), mzis, "MZIs");
  require("theta_offset", e.theta_offset.size(), mzis, "MZIs");
  require("phi_offset", e.phi_offset.size(), mzis, "MZIs");
  require("theta_arm_loss_db", e.theta_arm_loss_db.size(), mzis, "MZIs");
  require("phi_arm_loss_db", e.phi_arm_loss_db.size(), mzis, "MZIs");
  require("theta_other_loss_db", e.theta_other_loss_db.size(), mzis, "MZIs");
  require("phi_other_loss_db", e.phi_other_loss_db.size(), mzis, "MZIs");
  require("output_offset", e.output_offset.size(), t.ports, "ports");
}

template void validate_program(const MeshTopology&, const MeshProgramOf<float>&);
template void validate_program(const MeshTopology&, const MeshProgramOf<double>&);
template void validate_errors(const MeshTopology&, const MeshErrorsOf<float>&);
template void validate_errors(const MeshTopology&, const MeshErrorsOf<double>&);

MeshErrors no_errors(const MeshTopology& topology) {
  const Vector zero = Vector::Zero(topology.mzi_count());
  return {zero, zero, zero, zero, zero, zero, zero, zero, Vector::Zero(topology.ports), 0.0};
}

double column_field_factor(const MeshErrors& errors) {
  return field_ratio_of_loss_db(2 * errors.idle_arm_loss_db);
}

}  // namespace optinc
