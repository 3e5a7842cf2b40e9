#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "experiments/fabrics/cluster/contention.hpp"
#include "experiments/fabrics/cluster/traffic.hpp"

namespace optinc {

/// A job that takes part in a simulated window.
struct RunningJob {
  const JobTraffic* job = nullptr;
  double began_s = 0.0;  ///< of the iteration
  std::size_t bucket = 0, phase = 0;
  double left_bytes = 0.0;  ///< of the phase; 0 while it waits
  double until_s = 0.0;     ///< of what it waits for: a bucket, latency, or the backward pass
  enum { waits, fixed, sends, ends } state = waits;
  double rate = 0.0;
  int done = 0;
  double first_s = 0.0, last_s = 0.0;  ///< ends of the first and the last iteration that count
};

/// Iterations of a job that are not counted, while jobs fall into step.
inline constexpr int warm_up_iterations = 2;

/// Simulates a group of jobs event by event until its slowest has ended `window` iterations that count; the
/// number of events. Each job of `group` goes on from its state, and holds the ends of its iterations
/// afterwards.
std::int64_t simulate_window(std::vector<RunningJob>& group, const Contention& shared, std::int64_t window);

}  // namespace optinc
