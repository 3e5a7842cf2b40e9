#pragma once

#include "physics/mesh/correction.hpp"

namespace optinc {

/// correct_splitters() MZI by MZI in complex double arithmetic: slow and obvious, what the fast path is tested
/// against.
CorrectedProgram reference_correct_splitters(const MeshTopology& topology, const MeshProgram& program,
                                             const Vector& alpha, const Vector& beta,
                                             Clipping clipping = Clipping::nearest);

}  // namespace optinc
