#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "experiments/analysis/cluster/jobs.hpp"
#include "experiments/analysis/cluster/traffic.hpp"

namespace optinc {

/// A cluster's day.
struct DaySettings {
  TrafficSettings traffic;
  std::vector<TrainingJob> jobs;
  std::vector<std::string> workloads = {"vgg19"}, collectives = {"ring"};  ///< drawn for each job
  double horizon_s = 86400.0, scattered = 0.0, setup_s = 0.0;  ///< setup_s: of a job's wavelength switches
  std::int64_t window = 4;
  std::uint64_t seed = 1;
};

/// What became of a day's jobs.
struct DayResult {
  std::int64_t arrived = 0, started = 0, finished = 0;
  std::int64_t refused = 0;    ///< larger than the network serves; they do not wait
  double utilisation = 0.0;    ///< node seconds of jobs over those of the cluster
  double mean_wait_s = 0.0;    ///< of all that arrived in the queue, those that still wait at the end too
  double mean_stretch = 0.0;   ///< iteration over that on an ideal network, by node seconds, jobs of 2 or more
  double worst_stretch = 0.0;  ///< of a job, at any time
  double iterations = 0.0;     ///< of all jobs
  double sent_bytes = 0.0;     ///< by all nodes
  std::int64_t epochs = 0;     ///< times at which the set of jobs changed
  std::int64_t events = 0;     ///< simulated; all other iterations were advanced as one
  std::int64_t coupled_epochs = 0;  ///< epochs with jobs that had to be simulated together
  std::int64_t peak_flows = 0;
};

/// Jobs arrive, wait in the order of their arrival until enough nodes are free, train and leave. Between two
/// changes of the set of jobs all iterations are alike and are advanced as one. `at_each` is told the time of
/// every change.
DayResult run_day(const DaySettings& day, const std::function<void(double)>& at_each = {});

}  // namespace optinc
