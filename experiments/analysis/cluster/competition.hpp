#pragma once

#include <cstdint>
#include <string>

#include "experiments/analysis/cluster/traffic.hpp"

namespace optinc {

/// One condition under which several networks carry the same jobs of a cluster: a job in question and tenants
/// beside it. Keys and meanings stand in visit_fields (cluster_fields.hpp).
struct Competition {
  std::string name;
  TrafficSettings traffic;  ///< of whichever network
  std::int64_t tenant_nodes = 64, window = 8;
  double load = 0.0, scattered = 0.0;

  Competition() { traffic.network.compute_s = 0.1; }
};

/// Iterations of the job in question.
struct CompetitionResult {
  std::int64_t job_nodes = 0, tenants = 0;
  double oddl_s = 0.0, fat_tree_s = 0.0, sip_ring_s = 0.0, aggregation_s = 0.0;
  double optinc_s = 0.0;  ///< NaN where OptINC does not serve the job, or its unit's cost is not known
  double coupled = 0.0;   ///< share of the jobs that slow each other on the fat-tree

  /// Iteration on the fat-tree over that on ODDL.
  double fat_tree_ratio() const { return fat_tree_s / oddl_s; }
  /// Iteration on SiP-Ring over that on ODDL.
  double sip_ring_ratio() const { return sip_ring_s / oddl_s; }
  /// Iteration where switches of the fat-tree add up over that on ODDL.
  double aggregation_ratio() const { return aggregation_s / oddl_s; }
  /// Iteration on OptINC over that on ODDL.
  double optinc_ratio() const { return optinc_s / oddl_s; }
};

/// Tenants of tenant_nodes each take the share `load` of the nodes, rounded down to whole tenants, and the job
/// all others; all train the workload, by rings where the network does not add up. Nodes are dealt by
/// place_job, the job's first. On SiP-Ring both directions have the whole spectrum. Throws Error where
/// SharedNetwork and place_job do, and where less than 2 nodes are left.
CompetitionResult run_competition(const Competition& condition);

}  // namespace optinc
