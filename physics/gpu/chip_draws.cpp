#include "physics/gpu/chip_draws.hpp"

#include <cmath>

#include "physics/random/stream.hpp"
#include "physics/variation/chip_errors.hpp"

namespace optinc::gpu {

Draws draws_of(const ErrorModel& model, const MeshAddress& first) {
  const auto key = [&](Purpose purpose) {
    const auto k = Stream(first.seed, purpose).key();
    return StreamKey{{k[0], k[1]}, first.mesh, 0};
  };
  return {model.sigma_eta_rad,
          model.sigma_eta_rad * std::sqrt(1.0 - model.rho_ab * model.rho_ab),
          model.rho_ab,
          model.sigma_cal_rad,
          model.sigma_phase_rad,
          model.mzi_loss_db / 2,
          model.arm_loss_spread_db,
          key(Purpose::splitter_error),
          key(Purpose::calibration_residual),
          key(Purpose::phase_noise),
          key(Purpose::arm_loss)};
}

Correction correction_of(const ErrorModel& model, bool quadrature) {
  return {quadrature, dac_mode(model) == DacMode::voltage, model.dac_bits};
}

}  // namespace optinc::gpu
