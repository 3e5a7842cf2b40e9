#pragma once

#include "physics/mesh/engine/field_blocks.hpp"
#include "physics/mesh/engine/inverse_mesh.hpp"
#include "physics/mesh/engine/mesh_layout.hpp"

namespace optinc {

/// Sums over words on the way back. MZI k: G = sum of x lambda^H with x in front of it and lambda behind, scaled;
/// Gram sums of a share of the words.
template <class Real>
struct GramSums {
  AlignedVector<Real> mzis;           ///< [MZI][re and im of G_00, G_01, G_10, G_11][partial sums]
  std::vector<Real> idle;             ///< [idle port of a column][re, im]
  std::vector<Real> outputs;          ///< [port][re, im] of x conj(lambda) at the outputs
  std::size_t partials = 1;           ///< partial sums of each number, to be added
  double largest_input = 0.0;         ///< largest field component that was sent
  double largest_error = 0.0;         ///< largest difference of what the inversion found to it
};

/// Sets a mesh up for the way back. Returns whether every number is finite: not so where an MZI cannot be
/// inverted.
bool settle_inverse(const MeshLayout& layout, const MeshParameters<float>& parameters, InverseMesh<float>& mesh);
bool settle_inverse(const MeshLayout& layout, const MeshParameters<double>& parameters, InverseMesh<double>& mesh);

/// Walks `count` blocks from the first_block-th on back through the mesh: `outputs` become the fields that the
/// inversion finds at the inputs, `gradient` the gradient there; Gram sums are added to `sums`.
void walk_back(const MeshLayout& layout, const InverseMesh<float>& mesh, const FieldBlocks<float>& inputs,
               FieldBlocks<float>& outputs, FieldBlocks<float>& gradient, std::size_t first_block,
               std::size_t count, GramSums<float>& sums);
void walk_back(const MeshLayout& layout, const InverseMesh<double>& mesh, const FieldBlocks<double>& inputs,
               FieldBlocks<double>& outputs, FieldBlocks<double>& gradient, std::size_t first_block,
               std::size_t count, GramSums<double>& sums);

}  // namespace optinc
