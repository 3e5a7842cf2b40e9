#pragma once

#include <cstdint>

#include "physics/mesh/program.hpp"

namespace optinc {

/// Errors of a gradient that is measured in the mesh itself. Default: none.
struct InSituErrors {
  double reading = 0.0;    ///< rms error of every power reading, in units of the power that is sent
  double input = 0.0;      ///< rms error of every field that is sent, in units of the rms field of its vector
  double phase_rad = 0.0;  ///< rms error of the phases of output fields, which the adjoint fields inherit
  /// rms error of every field whose phase is detected, in units of the rms field of its vector: of output
  /// fields, whose phases the adjoint fields inherit, and of the adjoint fields that arrive. To first order a
  /// phase is off by detection / sqrt(2) times rms field over field, and weak fields have any phase.
  double detection = 0.0;
  /// rms of the relative error of the gain of the monitors behind shifters, fixed errors of a chip: the same in
  /// all words and passes. What a monitor makes of its derivative is off by its own gain.
  double gain = 0.0;
};

/// How vectors are sent.
struct InSituVectors {
  /// Every vector with power 1, which keeps the adjoint of a small loss above the noise of readings. Else x and
  /// lambda as they are given.
  bool equal_powers = true;
  /// The adjoint that arrives is sent again as it is measured: roots of read powers, detected phases. Else mu.
  bool measured_adjoint = false;
};

/// Fields that are sent and what becomes of them.
struct InSituWords {
  const Matrix& fields;    ///< at the inputs (ports, words)
  const Matrix& gradient;  ///< of a real loss at the outputs (ports, words); convention: MeshGradientOf
  const Matrix* arriving = nullptr;  ///< fields whose phases a measured adjoint takes instead of detected ones
};

/// Which draws the errors are.
struct InSituDraw {
  std::uint64_t seed = 1;
  std::uint32_t chip = 0;
  std::uint32_t first_word = 0;  ///< number of the first word
};

/// Derivatives of the loss by the phases that heaters set, 1/rad, and by the inputs.
struct InSituGradient {
  Vector theta, phi;    ///< (MZIs)
  Vector output_phase;  ///< (ports)
  Matrix fields;        ///< mu as it is sent again, (ports, words): what the layer in front has behind it
};

/// The gradient that power monitors behind every phase shifter of a chip measure (Hughes et al., Optica 5, 864
/// (2018); Pai et al., Science 380, 398 (2023)). Three passes of light for every word: the fields x forward,
/// the adjoint fields lambda = dL/dy backward, which arrive at the inputs as mu, and x + i mu forward. With the
/// powers that they make behind a shifter, its gradient summed over words is
///
///     dL/dphase = (|a_x|^2 + |a_lambda|^2 - |a_(x + i mu)|^2) / 2
///
/// in a chip without loss, where light retraces its way. Losses are left in as they act, so that the gradient
/// of a lossy chip is biased. Without errors and losses it is reference_mesh_gradient(). Readings are off by
/// reading times the power sent, so that a gradient is off by
///
///     reading / 2 sqrt(|x|^4 + |lambda|^4 + |x + i mu|^4)
///
/// with the vectors that are sent. Where they are sent as given, a word with a small loss has a small lambda,
/// and its gradient, in proportion to |x| |lambda|, drowns in the noise of |x|^4. Monitors with gains 1 + e
/// turn a gradient g, however large it is and over however many words: for small gains 1 - cos of the angle is
///
///     gain^2 / 2 (1 - sum(g^4) / sum(g^2)^2)
///
/// on average over chips. Throws Error where shapes differ, for negative errors, and for phases of an adjoint
/// that is not measured.
InSituGradient in_situ_gradient(const MeshTopology& topology, const MeshProgram& program,
                                const MeshErrors& errors, const InSituWords& words,
                                const InSituErrors& of_readings, const InSituDraw& draw = {},
                                const InSituVectors& vectors = {});

}  // namespace optinc
