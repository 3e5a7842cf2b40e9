#pragma once

#include <string>
#include <string_view>

#include "physics/mesh/fit.hpp"
#include "physics/mesh/topology.hpp"

namespace optinc {

/// The wiring of a mesh by name, "clements" or "reck", or written out: pairs of ports UPPER-LOWER, columns
/// parted by |, such as "0-1 2-3 | 1-2"; of no columns, "". Pairs of a column are sorted top to bottom. Throws
/// Error for ports that the mesh does not have, a port that a column uses twice, and text that is neither.
MeshTopology wiring_of(std::string_view text, int ports);

/// Whether the text writes a wiring out.
bool is_written_out(std::string_view wiring);

/// A wiring as wiring_of() reads it.
std::string wiring_text(const MeshTopology& topology);

/// Phases with which a mesh without errors comes nearest to a target (N, N): decomposed where the wiring is
/// that of Clements or Reck (error 0), otherwise fitted from up to `starts` random programs until E is below
/// 1e-9 (fit_program). A function of the target and the wiring alone. Throws Error where sizes do not agree.
FittedProgram program_of_wiring(const MeshTopology& topology, const Matrix& target, int starts = 4);

}  // namespace optinc
