#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "experiments/fabrics/cluster/jobs.hpp"
#include "experiments/fabrics/cluster/traffic.hpp"

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
  std::int64_t refused = 0;    ///< larger than the network serves, or more channels than there are; they do not
                               ///< wait
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
  std::int64_t delayed = 0;  ///< jobs that had to wait for channels between groups (oddl) at least once
  std::int64_t blocked = 0;  ///< attempts to start one that failed for them, one each time that a job has left
};

/// Jobs arrive, wait in the order of their arrival until enough nodes are free, train and leave. Between two
/// changes of the set of jobs all iterations are alike and are advanced as one. On ODDL a job holds its
/// channels between groups (group_connections) as long as it runs; where one of them finds none (ChannelTable)
/// the job waits, and those behind it too. If they would not suffice even if all were free, it is refused.
/// `at_each` is told the time of every change. Throws Error where SharedNetwork and wavelengths_of do.
DayResult run_day(const DaySettings& day, const std::function<void(double)>& at_each = {});

}  // namespace optinc
