#pragma once

#include <cstdint>

#include "physics/mesh/program.hpp"
#include "physics/variation/error_model.hpp"

namespace optinc {

/// Which mesh of which chip: the coordinates that fix its random draws.
struct MeshAddress {
  std::uint64_t seed = 1;
  std::uint32_t chip = 0;
  std::uint32_t mesh = 0;
};

/// One mesh's frozen errors, drawn from the model. Splitters alpha, beta ~ N(0, sigma_eta) with correlation
/// rho_ab; every phase offset ~ N(0, sigma_cal) + N(0, sigma_phase) (calibration residual, and the phase noise
/// of one block of symbols); each of an MZI's four arms loses ~ N(mzi_loss / 2, arm_loss_spread), independent
/// of the others and cut off at 0 dB, and a dummy arm their mean. Every source has a stream of its own: scaling
/// one leaves the others' draws as they were.
MeshErrors draw_mesh_errors(const MeshTopology& topology, const ErrorModel& model, const MeshAddress& address);

/// The same into `errors`, whose memory is kept; in float the draws of the same streams, rounded to float.
template <class Real>
void draw_mesh_errors(const MeshTopology& topology, const ErrorModel& model, const MeshAddress& address,
                      MeshErrorsOf<Real>& errors);

/// Adds the errors of a mesh to others of the same wiring.
void add_errors(const MeshErrors& from, MeshErrors& to);

}  // namespace optinc
