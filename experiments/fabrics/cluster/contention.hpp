#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "experiments/fabrics/cluster/traffic.hpp"
#include "experiments/fabrics/interconnect/max_min.hpp"

namespace optinc {

/// Whether a link cannot carry what all its jobs would take of it, each at its speed alone.
bool contended(double demand_bytes_per_s, double capacity_bytes_per_s);

/// Links, ascending, and what a job alone takes of each in the phase that takes most, bytes/s.
std::vector<std::pair<int, double>> largest_demand(std::span<const PhaseLoad> phases);

/// Phases as flows over the links that they may have to share, without those that another one implies, and each
/// over a link of its own that holds it to its speed alone.
struct Contention {
  std::vector<double> capacity;
  std::vector<Flow> flows;         ///< one set of phases after the other
  std::vector<std::size_t> first;  ///< flow of the first phase of each

  /// capacity, demand: of the network's links, bytes/s; demand: what all would take of a link, each at its
  /// speed alone.
  Contention(std::span<const double> capacity_bytes_per_s, std::span<const double> demand_bytes_per_s,
             std::span<const std::span<const PhaseLoad>> phases);
};

}  // namespace optinc
