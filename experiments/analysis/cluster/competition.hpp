#pragma once

#include <cstdint>
#include <string>

namespace optinc {

/// One condition under which ODDL, a fat-tree and SiP-Ring carry the same jobs of a cluster: a job in question
/// and tenants beside it. Keys and meanings stand in visit_fields (cluster_fields.hpp).
struct Competition {
  std::string name, workload = "vgg19", routing = "ecmp";
  std::int64_t nodes = 1024, tenant_nodes = 64, sub_flows = 1, window = 8, seed = 1;
  double load = 0.0, scattered = 0.0, oversubscription = 1.0, compute_s = 0.1, rate_bit_per_s = 100e9,
         step_latency_s = 2e-6, hop_latency_s = 0.5e-6, set_s = 3.2e-6, bucket_bytes = 25.0 * (1 << 20);
  bool overlap = true;
};

/// Iterations of the job in question.
struct CompetitionResult {
  std::int64_t job_nodes = 0, tenants = 0;
  double oddl_s = 0.0, fat_tree_s = 0.0, sip_ring_s = 0.0;
  double coupled = 0.0;  ///< share of the jobs that slow each other on the fat-tree

  /// Iteration on the fat-tree over that on ODDL.
  double fat_tree_ratio() const { return fat_tree_s / oddl_s; }
  /// Iteration on SiP-Ring over that on ODDL.
  double sip_ring_ratio() const { return sip_ring_s / oddl_s; }
};

/// Tenants of tenant_nodes each take the share `load` of the nodes, rounded down to whole tenants, and the job
/// all others; all train the workload by rings. Nodes are dealt by place_job, the job's first. On SiP-Ring both
/// directions have the whole spectrum. Throws Error where SharedNetwork and place_job do, and where less than 2
/// nodes are left.
CompetitionResult run_competition(const Competition& condition);

}  // namespace optinc
