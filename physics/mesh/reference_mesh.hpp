#pragma once

#include "physics/mesh/blocks.hpp"
#include "physics/mesh/program.hpp"

namespace optinc {

/// Transfer matrix of a mesh, shape (ports, ports), by multiplying one full matrix per column. Slow and obvious
/// on purpose: every faster path is tested against it, and it is never optimised.
Matrix reference_transfer_matrix(const MeshTopology& topology, const MeshProgram& program,
                                 const MeshErrors& errors);

/// The same for a mesh of any 2x2 blocks.
Matrix reference_transfer_matrix(const MeshTopology& topology, const MeshBlocks& mesh);

}  // namespace optinc
