#pragma once

#include "physics/mesh/engine/scaled_mesh.hpp"
#include "physics/mesh/propagation.hpp"

namespace optinc {

/// Puts a settled mesh into scaled form; `Real` is float or double, set-up is in double. Rescales every 32
/// columns, for unscaled fields grow by up to sqrt(2) a column and would overflow float beyond some 200. Any
/// topology of disjoint pairs. Throws Error, naming the MZI, where a matrix holds NaN or infinity or lets no
/// light pass.
template <class Real>
ScaledMesh<Real> scale_mesh(const MeshTopology& topology, const MeshState& state);

}  // namespace optinc
