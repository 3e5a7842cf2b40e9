#include "onn/training/detail/trained_mesh.hpp"

#include <cmath>

#include "physics/core/units.hpp"
#include "physics/mesh/decomposition.hpp"

namespace optinc {

TrainedMesh::TrainedMesh(const Eigen::MatrixXd& u)
    : topology_(clements_topology(static_cast<int>(u.rows()))),
      engine_(topology_),
      program_(decompose_clements(u.cast<Complex>())) {}

const Eigen::MatrixXf& TrainedMesh::settle(const ErrorModel& model, const MeshAddress& address) {
  draw_mesh_errors(topology_, model, address, errors_);
  correct_splitters(engine_.layout(), program_.cast<float>(), errors_.alpha, errors_.beta, Clipping::quadrature,
                    corrected_);
  engine_.settle(corrected_.program, errors_, true);
  nominal_ = static_cast<float>(
      std::pow(field_ratio_of_loss_db(2 * mean_arm_loss_db(model)), static_cast<double>(topology_.columns())));
  const Eigen::Index n = topology_.ports;
  unit_ = FieldBatchOf<float>(n, n);
  unit_.re.setIdentity();
  unit_.im.setZero();
  outputs_ = unit_;
  engine_.propagate(outputs_);
  settled_ = outputs_.re / nominal_;
  return settled_;
}

Eigen::VectorXf TrainedMesh::gradient(const Eigen::MatrixXf& slope) const {
  FieldBatchOf<float> behind(topology_.ports, topology_.ports);
  behind.re = slope / nominal_;
  behind.im.setZero();
  const auto g = engine_.backward(unit_, outputs_, behind).parameters;
  // the reverse of turn(): `left` is of the phase that each port's light has too much
  Eigen::VectorXf total = g.theta, left = -g.output_phase;
  for (Eigen::Index k = total.size(); k-- > 0;) {
    const auto [upper, lower] = topology_.mzis[static_cast<std::size_t>(k)];
    const float out = left[upper] + left[lower];
    total[k] += out / 2;
    left[lower] = out + g.phi[k];
    left[upper] = -g.phi[k];
  }
  return total;
}

void TrainedMesh::turn(const Eigen::VectorXf& theta_step) {
  Vector ahead = Vector::Zero(topology_.ports);  // phase that each port's light has too much
  for (Eigen::Index k = 0; k < theta_step.size(); ++k) {
    const auto [upper, lower] = topology_.mzis[static_cast<std::size_t>(k)];
    const double step = theta_step[k];
    program_.theta[k] += step;
    program_.phi[k] += ahead[lower] - ahead[upper];
    ahead[upper] = ahead[lower] = ahead[lower] + step / 2;
  }
  program_.output_phase -= ahead;
}

Eigen::MatrixXd TrainedMesh::matrix() const {
  return transfer_matrix(topology_, program_, no_errors(topology_)).real();
}

}  // namespace optinc
