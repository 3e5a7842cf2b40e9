#pragma once

#include <cstdint>
#include <vector>

#include "physics/gpu/detail/mesh_kernels.hpp"
#include "physics/mesh/topology.hpp"

namespace optinc::gpu {

/// A topology as the kernels walk it.
struct HostWiring {
  Wiring shape;
  std::vector<std::int32_t> shift, place, upper, lower, pairs, column_begin;
  std::vector<std::int32_t> idle;  ///< numbers of the sums that idle ports add up to
};

/// Fields in registers where every column is a run of neighbours and a thread need not hold more than
/// `most_per_lane` ports, else in memory.
HostWiring wire(const MeshTopology& topology, int most_per_lane);

}  // namespace optinc::gpu
