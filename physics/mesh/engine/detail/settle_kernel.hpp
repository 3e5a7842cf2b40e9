#pragma once

#include "physics/mesh/engine/mesh_layout.hpp"
#include "physics/mesh/engine/scaled_mesh.hpp"

namespace optinc {

/// Sets a mesh up for the kernels: matrices and scaled factors of all MZIs from their parameters, SIMD lanes
/// being the MZIs of a column. `mesh` keeps its memory from call to call. Returns whether every number is
/// finite; where not, first_bad_mzi() names the MZI.
bool settle_scaled(const MeshLayout& layout, const MeshParameters<float>& parameters, ScaledMesh<float>& mesh);
bool settle_scaled(const MeshLayout& layout, const MeshParameters<double>& parameters,
                   ScaledMesh<double>& mesh);

/// The same from given matrices. Those that let no light of an input pass leave numbers that are not finite.
bool settle_scaled(const MeshLayout& layout, const BlockParameters<float>& blocks, ScaledMesh<float>& mesh);
bool settle_scaled(const MeshLayout& layout, const BlockParameters<double>& blocks, ScaledMesh<double>& mesh);

}  // namespace optinc
