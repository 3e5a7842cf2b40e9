#pragma once

#include "physics/mesh/blocks.hpp"
#include "physics/mesh/mesh_gradient.hpp"

namespace optinc {

/// Reverse mode without inverting anything, for meshes whose losses are too unequal for it: fields in front of
/// every sqrt(columns)-th column are stored on the way forward, those between are computed again. In double, by
/// the devices themselves; some ten times slower than the inverse sweep. `gradient` (ports, words) of the loss
/// at the outputs becomes that at the inputs; words are taken in shares of 64, so that memory does not grow
/// with their number.
MeshGradient checkpoint_gradient(const MeshTopology& topology, const MeshProgram& program,
                                 const MeshErrors& errors, const FieldBatch& inputs, FieldBatch& gradient);

/// Sums over words of true fields x in front and adjoint fields lambda behind.
struct BlockSums {
  std::vector<Matrix2> blocks;  ///< x lambda^H (2, 2) at every block
  Complex idle = 0.0;           ///< x conj(lambda) at ports that no block of a column touches, all columns
  Eigen::VectorXcd outputs;     ///< x conj(lambda) in front of the screen (ports)
};

/// What checkpoint_gradient() knows before the chain rule, for a mesh of any 2x2 blocks.
BlockSums checkpoint_sums(const MeshTopology& topology, const MeshBlocks& mesh, const FieldBatch& inputs,
                          FieldBatch& gradient);

}  // namespace optinc
