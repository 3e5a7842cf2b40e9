#pragma once

#include "physics/mesh/program.hpp"

namespace optinc {

/// When fit_program() stops.
struct FitOptions {
  int steps = 500;          ///< at most so many
  double tolerance = 1e-9;  ///< or when E = |U - target|_F / sqrt(N) is below this
  int memory = 10;          ///< pairs of steps and gradients that L-BFGS keeps
  bool in_phase = false;    ///< only Re(U - target) counts: what homodyne receivers see of a real target
  int outputs = 0;          ///< only so many first rows count: ports that something reads; 0: all
};

/// A program that gradient descent found.
struct FittedProgram {
  MeshProgram program;
  double error = 0.0;  ///< E = |U - target|_F / sqrt(N)
  int steps = 0;       ///< taken
};

/// Fits phases of standard MZIs on any topology to a target matrix (N, N): minimises |U - target|_F^2 / N over
/// theta, phi and output phases by L-BFGS (Nocedal 1980) with a backtracking line search, gradients by
/// MeshEngine::backward(). For meshes that no decomposition is known for, such as butterfly_topology(), and for
/// meshes with known errors. Finds a local minimum: start from several programs where the first is none. Throws
/// Error where sizes do not agree.
FittedProgram fit_program(const MeshTopology& topology, const MeshErrors& errors, const Matrix& target,
                          const MeshProgram& start, const FitOptions& options = {});

}  // namespace optinc
