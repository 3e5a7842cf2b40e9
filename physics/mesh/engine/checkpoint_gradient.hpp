#pragma once

#include "physics/mesh/mesh_gradient.hpp"

namespace optinc {

/// Reverse mode without inverting anything, for meshes whose losses are too unequal for it: fields in front of
/// every sqrt(columns)-th column are stored on the way forward, those between are computed again. In double, by
/// the devices themselves; some ten times slower than the inverse sweep. `gradient` (ports, words) of the loss
/// at the outputs becomes that at the inputs; words are taken in shares of 64, so that memory does not grow
/// with their number.
MeshGradient checkpoint_gradient(const MeshTopology& topology, const MeshProgram& program,
                                 const MeshErrors& errors, const FieldBatch& inputs, FieldBatch& gradient);

}  // namespace optinc
