#pragma once

#include <cstdint>

#include "physics/mesh/program.hpp"

namespace optinc {

/// Errors of a gradient that is measured in the mesh itself. Default: none.
struct InSituErrors {
  double reading = 0.0;    ///< rms error of every power reading, in units of the power that is sent
  double input = 0.0;      ///< rms error of every field that is sent, in units of the rms field of its vector
  double phase_rad = 0.0;  ///< rms error of the phases of output fields, which the adjoint fields inherit
};

/// Fields that are sent and what becomes of them.
struct InSituWords {
  const Matrix& fields;    ///< at the inputs (ports, words)
  const Matrix& gradient;  ///< of a real loss at the outputs (ports, words); convention: MeshGradientOf
};

/// Which draws the errors are.
struct InSituDraw {
  std::uint64_t seed = 1;
  std::uint32_t chip = 0;
  std::uint32_t first_word = 0;  ///< number of the first word
};

/// Derivatives of the loss by the phases that heaters set, 1/rad.
struct InSituGradient {
  Vector theta, phi;    ///< (MZIs)
  Vector output_phase;  ///< (ports)
};

/// The gradient that power monitors behind every phase shifter of a chip measure (Hughes et al., Optica 5, 864
/// (2018); Pai et al., Science 380, 398 (2023)). Three passes of light for every word: the fields x forward,
/// the adjoint fields lambda = dL/dy backward, which arrive at the inputs as mu, and x + i mu forward. With the
/// powers that they make behind a shifter, its gradient summed over words is
///
///     dL/dphase = (|a_x|^2 + |a_lambda|^2 - |a_(x + i mu)|^2) / 2
///
/// in a chip without loss, where light retraces its way. Losses are left in as they act, so that the gradient
/// of a lossy chip is biased. Every vector is sent with power 1. Without errors and losses it is
/// reference_mesh_gradient(). Throws Error where shapes differ and for negative errors.
InSituGradient in_situ_gradient(const MeshTopology& topology, const MeshProgram& program,
                                const MeshErrors& errors, const InSituWords& words,
                                const InSituErrors& of_readings, const InSituDraw& draw = {});

}  // namespace optinc
