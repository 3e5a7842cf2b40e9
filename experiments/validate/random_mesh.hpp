#pragma once

#include "experiments/validate/measure.hpp"
#include "physics/mesh/program.hpp"
#include "physics/variation/error_model.hpp"

namespace optinc {

enum class HaarTarget { unitary, orthogonal };

/// What one trial of a mesh law is about: a Haar target, its program, and the errors of one chip.
struct RandomMesh {
  MeshTopology topology;
  Matrix target;
  MeshProgram program;
  MeshErrors errors;
};

/// Rectangular mesh of the trial. Trials of two error levels share their targets and draws, scaled.
RandomMesh draw_random_mesh(HaarTarget kind, int ports, const ErrorModel& model, const LawTrial& trial);

/// The Haar target alone.
Matrix haar_target(HaarTarget kind, int ports, const LawTrial& trial);

/// Independent errors of this rms in every splitter, nothing else.
ErrorModel splitter_errors(double sigma_eta_rad);

/// ||a - b||_F / sqrt(N), the error metric E of the project.
double relative_error(const Matrix& a, const Matrix& b);

}  // namespace optinc
