#pragma once

#include <cstddef>

#include "physics/mesh/engine/field_blocks.hpp"
#include "physics/mesh/engine/mesh_layout.hpp"
#include "physics/mesh/engine/scaled_mesh.hpp"

namespace optinc {

/// Sends `count` blocks of fields, of one or two registers of words, from the first_block-th on through a
/// scaled mesh, in place. A block stays in L1/L2 while all columns pass. The best SIMD target of the machine is
/// chosen at run time; per word the arithmetic is the same on every target with FMA, and depends neither on the
/// other words nor on the width of the block.
void propagate_direct(const MeshLayout& layout, const ScaledMesh<float>& mesh, FieldBlocks<float>& fields,
                      std::size_t first_block, std::size_t count);
void propagate_direct(const MeshLayout& layout, const ScaledMesh<double>& mesh, FieldBlocks<double>& fields,
                      std::size_t first_block, std::size_t count);

}  // namespace optinc
