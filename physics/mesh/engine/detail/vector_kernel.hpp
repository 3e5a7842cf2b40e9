#pragma once

#include "physics/mesh/engine/field_blocks.hpp"
#include "physics/mesh/engine/mesh_layout.hpp"
#include "physics/mesh/engine/scaled_mesh.hpp"

namespace optinc {

/// Sends the first `words` words (a few) through a scaled mesh one after the other, in place. SIMD lanes are
/// the MZIs of a column: for so few words that blocks of them would be mostly empty.
void propagate_vectors(const MeshLayout& layout, const ScaledMesh<float>& mesh,
                       const FieldPlanes<float>& fields, std::size_t words);
void propagate_vectors(const MeshLayout& layout, const ScaledMesh<double>& mesh,
                       const FieldPlanes<double>& fields, std::size_t words);

}  // namespace optinc
