#include "physics/variation/chip_errors.hpp"

#include "physics/random/stream.hpp"

namespace optinc {
namespace {

Vector normals(Stream& stream, Eigen::Index count) {
  Vector x(count);
  stream.normals({x.data(), static_cast<std::size_t>(count)});
  return x;
}

}  // namespace

MeshErrors draw_mesh_errors(const MeshTopology& topology, const ErrorModel& model, const MeshAddress& address) {
  const auto stream = [&](Purpose purpose) {
    return Stream(address.seed, purpose, address.chip, address.mesh);
  };
  const Eigen::Index mzis = topology.mzi_count(), ports = topology.ports;
  MeshErrors e = no_errors(topology);

  Stream splitters = stream(Purpose::splitter_error);
  e.alpha = model.sigma_eta_rad * normals(splitters, mzis);
  e.beta = model.rho_ab * e.alpha +
           model.sigma_eta_rad * std::sqrt(1.0 - model.rho_ab * model.rho_ab) * normals(splitters, mzis);

  Stream calibration = stream(Purpose::calibration_residual), noise = stream(Purpose::phase_noise);
  const auto offsets = [&](Eigen::Index count) -> Vector {
    return model.sigma_cal_rad * normals(calibration, count) + model.sigma_phase_rad * normals(noise, count);
  };
  e.theta_offset = offsets(mzis);
  e.phi_offset = offsets(mzis);
  e.output_offset = offsets(ports);

  Stream losses = stream(Purpose::arm_loss);
  const auto heater_arms = [&]() -> Vector {
    return (model.mzi_loss_db / 2 + model.arm_loss_spread_db * normals(losses, mzis).array()).cwiseMax(0.0);
  };
  e.other_arm_loss_db = mean_arm_loss_db(model);
  e.theta_arm_loss_db = heater_arms();
  e.phi_arm_loss_db = heater_arms();
  return e;
}

}  // namespace optinc
