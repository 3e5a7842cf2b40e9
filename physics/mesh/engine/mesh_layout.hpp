#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

// No Eigen in here: the kernels that read this are compiled for several processors, and inline functions of
// Eigen compiled for one must not meet those compiled for another.

namespace optinc {

struct MeshTopology;

/// One column of a mesh as the kernels walk it.
struct LayoutColumn {
  std::size_t first = 0, count = 0;            ///< its MZIs
  std::size_t first_idle = 0, idle_count = 0;  ///< its part of MeshLayout::idle
  /// First port of pairs (s, s+1), (s+2, s+3), .. of neighbours; -1 where the pairs are others.
  std::int32_t run_start = -1;
  /// This column and the next alternate as in a rectangular mesh: all neighbours from port 0, then all from
  /// port 1. Both can then be done at once.
  bool fused_with_next = false;
};

/// A topology prepared for the kernels: the same wiring, in flat arrays.
struct MeshLayout {
  std::size_t ports = 0, mzis = 0;
  std::vector<std::int32_t> upper, lower;  ///< ports of every MZI
  std::vector<LayoutColumn> columns;
  std::vector<std::int32_t> idle;  ///< ports that no MZI of a column touches, column after column
};

/// Prepares a topology that validate_topology() accepts.
MeshLayout mesh_layout(const MeshTopology& topology);

}  // namespace optinc
