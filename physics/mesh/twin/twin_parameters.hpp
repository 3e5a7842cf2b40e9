#pragma once

#include <span>
#include <vector>

#include "physics/mesh/twin/twin.hpp"

namespace optinc {

/// The fitted parameters of a twin in one vector, kind after kind.
class TwinParameters {
 public:
  /// The parameters of one kind: of every MZI, or of every port.
  struct Block {
    TwinKind kind;
    Eigen::Index first, count;
  };

  /// Parameters of these kinds, in their order, for all MZIs and ports of a mesh.
  TwinParameters(const MeshTopology& topology, std::span<const TwinKind> kinds);

  /// Parameters of all kinds.
  Eigen::Index size() const { return size_; }
  /// Kinds in the order of the vector.
  const std::vector<Block>& blocks() const { return blocks_; }
  /// Where the parameters of a kind begin; -1 where it is not fitted.
  Eigen::Index first(TwinKind kind) const { return first_[static_cast<std::size_t>(kind)]; }

  /// Adds a change of the parameters, in their units (rad, 1, dB), to a twin.
  void add(const Vector& change, MeshTwin& to) const;
  /// The same numbers in the members of a twin, where every fitted one has its own: of a loss that two arms
  /// share, half to each, and none with a sign. What is not fitted is 0.
  MeshTwin spread(const MeshTopology& topology, const Vector& values) const;

 private:
  std::vector<Block> blocks_;
  std::vector<Eigen::Index> first_;
  Eigen::Index size_ = 0;
};

}  // namespace optinc
