#pragma once

#include <cstdint>
#include <string>

#include "experiments/fabrics/cluster/traffic.hpp"

namespace optinc {

/// One condition under which several networks carry the same jobs of a cluster: a job in question and tenants
/// beside it. Keys and meanings stand in visit_rows (cluster_rows.hpp).
struct Competition {
  std::string name;
  TrafficSettings traffic;  ///< of whichever network
  std::int64_t tenant_nodes = 64, window = 8;
  double load = 0.0, scattered = 0.0;

  Competition() { traffic.network.compute_s = 0.1; }
};

/// The job in question on one network; NaN where the network does not serve it.
struct OnNetwork {
  double iteration_s = 0.0;
  double energy_j = 0.0;  ///< of an iteration (SharedNetwork::energy)
  double optics_j = 0.0;  ///< the part of it that switches and amplifies light
};

/// The job in question on each network.
struct CompetitionResult {
  std::int64_t job_nodes = 0, tenants = 0;
  OnNetwork oddl, fat_tree, sip_ring;
  OnNetwork adding_fat_tree;  ///< a fat-tree whose switches add up
  OnNetwork optinc;           ///< NaN too where the cost of its unit is not known
  double coupled = 0.0;       ///< share of the jobs that slow each other on the fat-tree

  /// Iteration on a network over that on ODDL.
  double ratio(const OnNetwork& other) const { return other.iteration_s / oddl.iteration_s; }
};

/// Tenants of tenant_nodes each take the share `load` of the nodes, rounded down to whole tenants, and the job
/// all others; all train the workload, by rings where the network does not add up. Nodes are dealt by
/// place_job, the job's first. On SiP-Ring both directions have the whole spectrum. Throws Error where
/// SharedNetwork and place_job do, and where less than 2 nodes are left.
CompetitionResult run_competition(const Competition& condition);

}  // namespace optinc
