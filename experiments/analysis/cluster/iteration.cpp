#include "experiments/analysis/cluster/iteration.hpp"

#include <vector>

#include "experiments/analysis/cluster/chakra_file.hpp"
#include "physics/core/check.hpp"

namespace optinc {

IterationAnswer run_iteration(const Iteration& i, const std::filesystem::path& folder) {
  const std::filesystem::path groups = i.groups.empty() ? std::filesystem::path() : folder / i.groups;
  const ParallelTraining& t = i.training;
  validate(!i.trace.empty() || t.data * t.tensor * t.pipeline <= i.traffic.network.servers,
           "data = {}, tensor = {} and pipeline = {} on {} nodes (one for each rank). Set nodes = {}.", t.data,
           t.tensor, t.pipeline, i.traffic.network.servers, t.data * t.tensor * t.pipeline);
  const ExecutionTrace trace =
      i.trace.empty() ? parallel_training(t) : read_chakra(folder / i.trace, groups, t.flop_per_s);
  IterationAnswer answer;
  answer.ranks = static_cast<std::int64_t>(trace.ranks.size());
  TrafficSettings settings = i.traffic;
  settings.network.name = i.name;
  const SharedNetwork network(settings);
  const std::vector<bool> taken(static_cast<std::size_t>(settings.network.servers), false);
  const std::vector<int> nodes = place_job(taken, static_cast<int>(answer.ranks), i.scattered,
                                           static_cast<std::uint64_t>(settings.network.seed), 0);
  answer.run = run_trace(trace, &network, nodes, i.collective);
  answer.without_s = run_trace(trace, nullptr, nodes).iteration_s;
  return answer;
}

}  // namespace optinc
