#include "experiments/analysis/cluster/competition.hpp"

#include <cmath>
#include <vector>

#include "experiments/analysis/cluster/traffic.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

TrafficSettings traffic_on(const Competition& c, const char* network) {
  TrafficSettings t;
  Scenario& s = t.network;
  s.name = c.name;
  s.network = network;
  if (s.network == "fat-tree") {
    s.routing = c.routing;
    s.oversubscription = c.oversubscription;
    s.sub_flows = c.sub_flows;
  }
  s.servers = c.nodes;
  s.workload = c.workload;
  s.compute_s = c.compute_s;
  s.rate_bit_per_s = c.rate_bit_per_s;
  s.step_latency_s = c.step_latency_s;
  s.hop_latency_s = c.hop_latency_s;
  s.seed = c.seed;
  t.bucket_bytes = c.bucket_bytes;
  t.overlap = c.overlap;
  t.set_s = c.set_s;
  return t;
}

}  // namespace

CompetitionResult run_competition(const Competition& c) {
  CompetitionResult result;
  result.tenants = static_cast<std::int64_t>(c.load * static_cast<double>(c.nodes)) / c.tenant_nodes;
  result.job_nodes = c.nodes - result.tenants * c.tenant_nodes;
  validate(result.job_nodes >= 2, "{}: load = {} leaves {} of {} nodes (a job needs 2 or more). Lower load.",
           c.name, c.load, result.job_nodes, c.nodes);
  std::vector<bool> taken(static_cast<std::size_t>(c.nodes), false);
  std::vector<TrainingJob> jobs;
  for (std::int64_t j = 0; j <= result.tenants; ++j) {
    TrainingJob job;
    job.size = static_cast<int>(j == 0 ? result.job_nodes : c.tenant_nodes);
    job.workload = c.workload;
    job.nodes = place_job(taken, job.size, c.scattered, static_cast<std::uint64_t>(c.seed),
                          static_cast<std::uint32_t>(j));
    for (const int n : job.nodes) taken[static_cast<std::size_t>(n)] = true;
    jobs.push_back(std::move(job));
  }
  const auto iteration_s = [&](const char* network) {
    const SharedNetwork shared(traffic_on(c, network));
    std::vector<JobTraffic> traffic;
    for (const TrainingJob& job : jobs) traffic.push_back(shared.traffic_of(job));
    std::vector<const JobTraffic*> all;
    for (const JobTraffic& t : traffic) all.push_back(&t);
    const SharedIterations run =
        shared.iterations(all, static_cast<int>(c.window), static_cast<std::uint64_t>(c.seed));
    if (network == std::string("fat-tree"))
      result.coupled = static_cast<double>(run.coupled) / static_cast<double>(jobs.size());
    return run.iteration_s[0];
  };
  result.oddl_s = iteration_s("oddl");
  result.fat_tree_s = iteration_s("fat-tree");
  result.sip_ring_s = iteration_s("sip-ring");
  return result;
}

}  // namespace optinc
