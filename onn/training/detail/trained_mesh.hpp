#pragma once

#include "physics/mesh/correction.hpp"
#include "physics/mesh/engine/mesh_engine.hpp"
#include "physics/variation/chip_errors.hpp"

namespace optinc {

/// A rectangular mesh whose internal phases are trained on simulated chips while the perfect mesh stays real
/// orthogonal: its MZIs turn pairs of ports by theta/2, so that theta are as many numbers as SO(n) has. An MZI
/// puts e^{i theta/2} on both of its outputs; the next MZIs' phi and at last the output screen take it away
/// again.
class TrainedMesh {
 public:
  /// Starts as this orthogonal matrix (n, n). Throws Error where it is not.
  explicit TrainedMesh(const Eigen::MatrixXd& u);

  /// MZIs.
  Eigen::Index mzi_count() const { return program_.theta.size(); }

  /// Phases of the perfect mesh: all that training changes.
  MeshProgram& program() { return program_; }

  /// Fabricates the mesh, programs it for its known splitters (Clipping::quadrature), settles it with all its
  /// errors: the real part of its transfer matrix, which homodyne receivers see, over its mean loss (n, n).
  const Eigen::MatrixXf& settle(const ErrorModel& model, const MeshAddress& address);

  /// Derivative of a loss with respect to every theta (MZIs) where `slope` (n, n) is that with respect to what
  /// settle() returned: reverse mode through the very mesh, phi and screen following theta. The derivative of
  /// the programming for known splitters is taken for 1.
  Eigen::VectorXf gradient(const Eigen::MatrixXf& slope) const;

  /// Turns every theta by its step, rad (MZIs), and phi and the screen after it.
  void turn(const Eigen::VectorXf& theta_step);

  /// The perfect mesh's matrix, real orthogonal (n, n).
  Eigen::MatrixXd matrix() const;

 private:
  MeshTopology topology_;
  MeshEngine<float> engine_;
  MeshProgram program_;
  MeshErrorsOf<float> errors_;
  CorrectedProgramOf<float> corrected_;
  float nominal_ = 1;
  FieldBatchOf<float> unit_, outputs_;
  Eigen::MatrixXf settled_;
};

}  // namespace optinc
