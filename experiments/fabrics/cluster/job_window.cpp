#include "experiments/fabrics/cluster/job_window.hpp"

#include <algorithm>
#include <limits>

#include "experiments/fabrics/interconnect/max_min.hpp"

namespace optinc {
namespace {

void begin_bucket(RunningJob& r, double now_s);

void begin_phase(RunningJob& r, double now_s) {
  if (r.phase == r.job->phases.size()) {
    r.phase = 0;
    ++r.bucket;
    return begin_bucket(r, now_s);
  }
  r.state = RunningJob::fixed;
  r.until_s = now_s + r.job->phases[r.phase].fixed_s;
}

void begin_bucket(RunningJob& r, double now_s) {
  if (r.bucket == r.job->bytes.size()) {
    r.state = RunningJob::ends;
    r.until_s = std::max(now_s, r.began_s + r.job->compute_s);
    return;
  }
  const double ready_s = r.began_s + r.job->ready_s[r.bucket];
  if (ready_s <= now_s) return begin_phase(r, now_s);
  r.state = RunningJob::waits;
  r.until_s = ready_s;
}

void begin_iteration(RunningJob& r, double now_s) {
  r.began_s = now_s;
  r.bucket = r.phase = 0;
  begin_bucket(r, now_s);
}

/// What happens at until_s, or once all bytes are sent.
void advance(RunningJob& r, double now_s) {
  switch (r.state) {
    case RunningJob::waits:
      return begin_phase(r, now_s);
    case RunningJob::fixed:
      r.state = RunningJob::sends;
      r.left_bytes = r.job->phases[r.phase].bytes * r.job->bytes[r.bucket];
      return;
    case RunningJob::sends:
      ++r.phase;
      return begin_phase(r, now_s);
    case RunningJob::ends:
      ++r.done;
      if (r.done == warm_up_iterations) r.first_s = now_s;
      r.last_s = now_s;
      begin_iteration(r, now_s);
  }
}

}  // namespace

std::int64_t simulate_window(std::vector<RunningJob>& group, const Contention& shared, std::int64_t window) {
  MaxMinSolver solver(shared.capacity, shared.flows);
  const auto flow = [&](std::size_t i) { return shared.first[i] + group[i].phase; };
  std::int64_t events = 0;
  double now_s = 0.0;
  while (std::any_of(group.begin(), group.end(),
                     [&](const RunningJob& r) { return r.done < warm_up_iterations + window; })) {
    const std::vector<double>& rates = solver.rates();
    double next_s = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < group.size(); ++i) {
      RunningJob& r = group[i];
      if (r.state == RunningJob::sends) r.rate = rates[flow(i)];
      next_s = std::min(next_s, r.state == RunningJob::sends ? now_s + r.left_bytes / r.rate : r.until_s);
    }
    for (RunningJob& r : group) {
      if (r.state != RunningJob::sends) continue;
      const double end_s = now_s + r.left_bytes / r.rate;
      r.left_bytes = end_s <= next_s * (1 + 1e-13) ? 0.0 : r.left_bytes - r.rate * (next_s - now_s);
    }
    now_s = next_s;
    for (std::size_t i = 0; i < group.size(); ++i) {
      RunningJob& r = group[i];
      const bool due = r.state == RunningJob::sends ? r.left_bytes <= 0.0 : r.until_s <= now_s * (1 + 1e-13);
      if (!due) continue;
      ++events;
      if (r.state == RunningJob::sends) solver.set(flow(i), false);
      advance(r, now_s);
      if (r.state == RunningJob::sends) solver.set(flow(i), true);
    }
  }
  return events;
}

}  // namespace optinc
