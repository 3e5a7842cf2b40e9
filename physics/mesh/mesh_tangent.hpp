#pragma once

#include "physics/mesh/mesh_gradient.hpp"

namespace optinc {

/// Forward mode: how fields at the outputs change, dy = T dx + sum over parameters p of (dT/dp) x dp, where the
/// fields (ports, words) change by `field_change`, and each parameter by what `change` has in the place of its
/// derivative [rad, dB]. The transpose of reference_mesh_gradient(): Re sum conj(lambda) dy = Re sum
/// conj(g.fields) dx + sum g_p dp. Goes from MZI to MZI. Throws Error where shapes differ.
Matrix mesh_tangent(const MeshTopology& topology, const MeshProgram& program, const MeshErrors& errors,
                    const Matrix& fields, const MeshGradient& change, const Matrix& field_change);

}  // namespace optinc
