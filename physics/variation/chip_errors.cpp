#include "physics/variation/chip_errors.hpp"

#include "physics/random/stream.hpp"

namespace optinc {
namespace {

/// values = sigma n with standard normals n; a source that is off draws nothing (its stream is its own).
template <class Real>
void draw(Stream& stream, double sigma, Eigen::Index count, VectorOf<Real>& values) {
  values.resize(count);
  if (sigma == 0.0) {
    values.setZero();
    return;
  }
  stream.normals(std::span(values.data(), static_cast<std::size_t>(count)));
  values *= static_cast<Real>(sigma);
}

}  // namespace

template <class Real>
void draw_mesh_errors(const MeshTopology& topology, const ErrorModel& model, const MeshAddress& address,
                      MeshErrorsOf<Real>& e) {
  const auto stream = [&](Purpose purpose) {
    return Stream(address.seed, purpose, address.chip, address.mesh);
  };
  const Eigen::Index mzis = topology.mzi_count(), ports = topology.ports;

  Stream splitters = stream(Purpose::splitter_error);
  draw(splitters, model.sigma_eta_rad, mzis, e.alpha);
  draw(splitters, model.sigma_eta_rad * std::sqrt(1.0 - model.rho_ab * model.rho_ab), mzis, e.beta);
  if (model.rho_ab != 0.0) e.beta += static_cast<Real>(model.rho_ab) * e.alpha;

  Stream calibration = stream(Purpose::calibration_residual), noise = stream(Purpose::phase_noise);
  VectorOf<Real> more;
  const auto draw_offsets = [&](Eigen::Index count, VectorOf<Real>& offsets) {
    draw(calibration, model.sigma_cal_rad, count, offsets);
    if (model.sigma_phase_rad == 0.0) return;
    draw(noise, model.sigma_phase_rad, count, more);
    offsets += more;
  };
  draw_offsets(mzis, e.theta_offset);
  draw_offsets(mzis, e.phi_offset);
  draw_offsets(ports, e.output_offset);

  Stream losses = stream(Purpose::arm_loss);
  const auto mean = static_cast<Real>(model.mzi_loss_db / 2);
  e.idle_arm_loss_db = static_cast<Real>(mean_arm_loss_db(model));
  for (VectorOf<Real>* arms :
       {&e.theta_arm_loss_db, &e.phi_arm_loss_db, &e.theta_other_loss_db, &e.phi_other_loss_db}) {
    if (model.arm_loss_spread_db == 0.0) {
      arms->setConstant(mzis, mean);
      continue;
    }
    draw(losses, model.arm_loss_spread_db, mzis, *arms);
    *arms = (arms->array() + mean).cwiseMax(Real(0));
  }
}

template void draw_mesh_errors(const MeshTopology&, const ErrorModel&, const MeshAddress&,
                               MeshErrorsOf<float>&);
template void draw_mesh_errors(const MeshTopology&, const ErrorModel&, const MeshAddress&, MeshErrors&);

MeshErrors draw_mesh_errors(const MeshTopology& topology, const ErrorModel& model, const MeshAddress& address) {
  MeshErrors errors;
  draw_mesh_errors(topology, model, address, errors);
  return errors;
}

void add_errors(const MeshErrors& from, MeshErrors& to) {
  to.alpha += from.alpha;
  to.beta += from.beta;
  to.theta_offset += from.theta_offset;
  to.phi_offset += from.phi_offset;
  to.theta_arm_loss_db += from.theta_arm_loss_db;
  to.phi_arm_loss_db += from.phi_arm_loss_db;
  to.theta_other_loss_db += from.theta_other_loss_db;
  to.phi_other_loss_db += from.phi_other_loss_db;
  to.output_offset += from.output_offset;
  to.idle_arm_loss_db += from.idle_arm_loss_db;
}

}  // namespace optinc
