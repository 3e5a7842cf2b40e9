#include "experiments/validate/random_mesh.hpp"

#include <cmath>

#include "physics/mesh/decomposition.hpp"
#include "physics/random/haar.hpp"
#include "physics/variation/chip_errors.hpp"

namespace optinc {

Matrix haar_target(HaarTarget kind, int ports, const LawTrial& trial) {
  Stream stream = trial.stream(Purpose::haar, static_cast<std::uint32_t>(ports));
  if (kind == HaarTarget::unitary) return haar_unitary(ports, stream);
  return haar_orthogonal(ports, stream).cast<Complex>();
}

RandomMesh draw_random_mesh(HaarTarget kind, int ports, const ErrorModel& model, const LawTrial& trial) {
  RandomMesh mesh{clements_topology(ports), haar_target(kind, ports, trial), {}, {}};
  mesh.program = decompose_clements(mesh.target);
  mesh.errors =
      draw_mesh_errors(mesh.topology, model, {trial.seed, trial.number, static_cast<std::uint32_t>(ports)});
  return mesh;
}

ErrorModel splitter_errors(double sigma_eta_rad) { return at_splitter_error(ErrorModel{}, sigma_eta_rad); }

double relative_error(const Matrix& a, const Matrix& b) {
  return (a - b).norm() / std::sqrt(static_cast<double>(a.rows()));
}

}  // namespace optinc
