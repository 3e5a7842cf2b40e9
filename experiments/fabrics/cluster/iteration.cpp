#include "experiments/fabrics/cluster/iteration.hpp"

#include <vector>

#include "experiments/fabrics/cluster/chakra_file.hpp"
#include "physics/core/check.hpp"

namespace optinc {

void check_iteration(const Iteration& i, const std::filesystem::path& folder) {
  if (i.trace.empty())
    return validate(i.groups.empty(), "{}: groups = \"{}\" without a trace. Leave it out, or set trace.",
                    i.name, i.groups);
  chakra_ranks(folder / i.trace);
  ParallelTraining told = Iteration().training;
  told.flop_per_s = i.training.flop_per_s;
  validate(
      i.training == told,
      "{}: a trace beside workload, data, tensor, pipeline, microbatches, samples, activation_bits, overlap or "
      "bucket_bytes (the trace says what ranks do). Leave these out.",
      i.name);
}

IterationAnswer run_iteration(const Iteration& i, const std::filesystem::path& folder,
                              const std::function<void()>& while_running) {
  check_iteration(i, folder);
  const ParallelTraining& t = i.training;
  TrafficSettings settings = i.traffic;
  settings.network.name = i.name;
  settings.network.transceivers = i.transceivers;
  settings.network.rate_bit_per_s /= static_cast<double>(i.transceivers);
  IterationAnswer answer;
  answer.ranks = i.trace.empty() ? t.data * t.tensor * t.pipeline
                                 : static_cast<std::int64_t>(chakra_ranks(folder / i.trace));
  validate(answer.ranks <= settings.network.servers,
           "{}: {} ranks on {} nodes (a node for each). Raise nodes, at most to 4096, or take fewer ranks.",
           i.name, answer.ranks, settings.network.servers);
  const ExecutionTrace trace =
      i.trace.empty() ? parallel_training(t)
                      : read_chakra(folder / i.trace, i.groups.empty() ? "" : folder / i.groups, t.flop_per_s);
  const SharedNetwork network(settings);
  const std::vector<bool> taken(static_cast<std::size_t>(settings.network.servers), false);
  const std::vector<int> nodes = place_job(taken, static_cast<int>(answer.ranks), i.scattered,
                                           static_cast<std::uint64_t>(settings.network.seed), 0);
  answer.run = run_trace(trace, &network, nodes, i.collective, while_running);
  answer.energy =
      network.energy(answer.ranks, answer.run.switched_bytes, answer.run.sums, answer.run.iteration_s);
  answer.without_s = run_trace(trace, nullptr, nodes, i.collective, while_running).iteration_s;
  return answer;
}

}  // namespace optinc
