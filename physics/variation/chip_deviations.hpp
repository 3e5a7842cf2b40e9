#pragma once

#include <vector>

#include "physics/mesh/engine/mesh_engine.hpp"
#include "physics/variation/chip_errors.hpp"

namespace optinc {

/// How the outputs y of one chip differ from those of the same program on a perfect mesh, y0, over all ports
/// and words.
struct ChipDeviation {
  Complex change;      ///< sum conj(y0) (y - y0) / sum |y0|^2
  double error = 0.0;  ///< sum |y - y0|^2 / sum |y0|^2

  /// |y| / |y0| squared: what is left of the light.
  double power() const { return 1.0 + 2.0 * change.real() + error; }
  /// |sum conj(y0) y|^2 / (sum |y0|^2 sum |y|^2): fidelity() of the transfer matrices where the inputs are the
  /// unit vectors.
  double fidelity() const { return std::norm(1.0 + change) / power(); }
};

/// Sends fields (ports, words) through chips first.chip, first.chip + 1, .. of a mesh, with errors drawn by
/// draw_mesh_errors() and phases on the grid of the model's DAC, not corrected, and compares what leaves each
/// with what leaves a perfect mesh of just these phases; shape (chips). Chips are shared out to `threads`
/// threads (0: as many as OpenMP is set to); no bit depends on them. Throws Error for a model out of range, for
/// chips of numbers beyond 2^32, where shapes differ, and for fields without light.
template <class Real>
std::vector<ChipDeviation> chip_deviations(const MeshTopology& topology, const MeshProgramOf<Real>& program,
                                           const ErrorModel& model, const MeshAddress& first,
                                           std::uint32_t chips, const FieldBatchOf<Real>& fields,
                                           int threads = 1);

/// The program on the grid of the model's DAC.
template <class Real>
MeshProgramOf<Real> on_dac(const MeshProgramOf<Real>& program, const ErrorModel& model);

/// Throws Error where a chip's number would not be below 2^32.
void validate_chip_numbers(std::uint32_t first, std::uint32_t chips);

/// What both processors refuse: as chip_deviations(). Returns sum |y0|^2, which is that of the fields.
template <class Real>
double validate_chips(const ErrorModel& model, const MeshAddress& first, std::uint32_t chips,
                      const FieldBatchOf<Real>& fields);

}  // namespace optinc
