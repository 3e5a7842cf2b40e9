#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "experiments/fabrics/cluster/execution_trace.hpp"
#include "experiments/fabrics/cluster/parallel_training.hpp"
#include "experiments/fabrics/cluster/traffic.hpp"

namespace optinc {

/// An iteration of one job that has a network for itself: of a trace, or data, tensor and pipeline parallel.
/// Keys and meanings stand in visit_rows (cluster_rows.hpp).
struct Iteration {
  std::string name, trace, groups, collective = "ring";
  ParallelTraining training;
  TrafficSettings traffic;  ///< its network
  double scattered = 0.0;
  std::int64_t transceivers = 1;  ///< that share a node's port, whose rate `traffic` has

  Iteration() {
    training.flop_per_s = 36e12;
    traffic.network.network = "fat-tree";
  }
};

/// The iteration, and what it would be without communication.
struct IterationAnswer {
  std::int64_t ranks = 0;
  TraceRun run;
  double without_s = 0.0;  ///< if communication took no time
  IterationEnergy energy;  ///< of the network (SharedNetwork::energy)

  /// Share of the iteration in which the accelerator that computes longest does not compute.
  double idle() const { return run.iteration_s > 0.0 ? 1.0 - run.compute_s / run.iteration_s : 0.0; }
};

/// Throws Error for a trace whose files are not there, and for keys that say nothing: those of training that
/// differ from their defaults beside a trace, and `groups` without one.
void check_iteration(const Iteration& iteration, const std::filesystem::path& folder);

/// Rank r runs on the r-th node that place_job deals. `folder`: of the list, where traces are looked for.
/// Throws Error where check_iteration, read_chakra, parallel_training, SharedNetwork, place_job and run_trace
/// do.
IterationAnswer run_iteration(const Iteration& iteration, const std::filesystem::path& folder,
                              const std::function<void()>& while_running = {});

}  // namespace optinc
