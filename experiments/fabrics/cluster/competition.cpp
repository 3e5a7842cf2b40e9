#include "experiments/fabrics/cluster/competition.hpp"

#include <limits>
#include <vector>

#include "physics/core/check.hpp"

namespace optinc {

CompetitionResult run_competition(const Competition& c) {
  CompetitionResult result;
  const std::int64_t nodes = c.traffic.network.servers;
  const auto seed = static_cast<std::uint64_t>(c.traffic.network.seed);
  result.tenants = static_cast<std::int64_t>(c.load * static_cast<double>(nodes)) / c.tenant_nodes;
  result.job_nodes = nodes - result.tenants * c.tenant_nodes;
  validate(result.job_nodes >= 2, "{}: load = {} leaves {} of {} nodes (a job needs 2 or more). Lower load.",
           c.name, c.load, result.job_nodes, nodes);
  std::vector<bool> taken(static_cast<std::size_t>(nodes), false);
  std::vector<TrainingJob> jobs;
  for (std::int64_t j = 0; j <= result.tenants; ++j) {
    TrainingJob job;
    job.size = static_cast<int>(j == 0 ? result.job_nodes : c.tenant_nodes);
    job.workload = c.traffic.network.workload;
    job.number = static_cast<std::uint32_t>(j);
    job.nodes = place_job(taken, job.size, c.scattered, seed, job.number);
    for (const int n : job.nodes) taken[static_cast<std::size_t>(n)] = true;
    jobs.push_back(std::move(job));
  }
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  constexpr OnNetwork none = {unknown, unknown, unknown};
  const auto on = [&](const char* network) -> OnNetwork {
    TrafficSettings settings = c.traffic;
    settings.network.name = c.name;
    settings.network.network = network;
    const SharedNetwork shared(settings);
    if (!shared.serves(jobs[0].size)) return none;
    std::vector<JobTraffic> traffic;
    for (const TrainingJob& job : jobs) traffic.push_back(shared.traffic_of(job));
    std::vector<const JobTraffic*> all;
    for (const JobTraffic& t : traffic) all.push_back(&t);
    const SharedIterations run = shared.iterations(all, c.window, seed);
    if (network == std::string("fat-tree"))
      result.coupled = static_cast<double>(run.coupled) / static_cast<double>(jobs.size());
    const IterationEnergy energy = shared.energy(traffic[0], run.iteration_s[0]);
    return {run.iteration_s[0], energy.total_j(), energy.optics_j + energy.circuits_j};
  };
  result.oddl = on("oddl");
  result.fat_tree = on("fat-tree");
  result.sip_ring = on("sip-ring");
  result.adding_fat_tree = on("adding-fat-tree");
  result.optinc = c.traffic.network.unit ? on("optinc") : none;
  return result;
}

}  // namespace optinc
