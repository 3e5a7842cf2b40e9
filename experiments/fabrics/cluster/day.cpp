#include "experiments/fabrics/cluster/day.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <queue>
#include <utility>

#include "experiments/fabrics/cluster/channels.hpp"
#include "physics/random/stream.hpp"

namespace optinc {

DayResult run_day(const DaySettings& day, const std::function<void(double)>& at_each) {
  const SharedNetwork network(day.traffic);
  TrafficSettings ideal_settings = day.traffic;
  ideal_settings.network.network = "switch";
  ideal_settings.network.step_latency_s = ideal_settings.network.hop_latency_s = 0.0;
  const SharedNetwork ideal(ideal_settings);
  struct Active {
    TrainingJob job;
    JobTraffic traffic;
    std::vector<Transfer> connections;
    std::vector<std::size_t> channels;  ///< shape (connections)
    double ideal_s = 0.0, left = 0.0, iteration_s = 0.0, setup_until_s = 0.0;
  };
  const auto nodes = static_cast<std::size_t>(day.traffic.network.servers);
  std::vector<bool> taken(nodes, false);
  std::vector<std::unique_ptr<Active>> active;
  std::queue<std::uint32_t> waiting;
  SharedIterations shared;
  DayResult result;
  double now_s = 0.0, node_s = 0.0, stretch_s = 0.0, shared_s = 0.0;
  std::size_t next = 0, free = nodes;
  LightPaths light = day.traffic.light;
  light.name = day.traffic.network.name;
  light.nodes = day.traffic.network.servers;
  const bool oddl = day.traffic.network.network == "oddl";
  const ChannelTable all_free =
      oddl ? ChannelTable(groups_of(light), light.fibres, wavelengths_of(light)) : ChannelTable(0, 0, 0);
  ChannelTable channels = all_free;
  std::optional<std::uint32_t> delayed;  // the job at the head that has found no channels
  bool stuck = false;                    // and nobody has left since
  // false where a connection between groups finds no channel; `stuck` where it would if all were free
  const auto start = [&](std::uint32_t number) {
    auto a = std::make_unique<Active>();
    a->job = day.jobs[number];
    a->job.number = number;
    Stream stream(day.seed, Purpose::job_arrivals, 2, number);
    a->job.workload = day.workloads[stream.below(static_cast<std::uint32_t>(day.workloads.size()))];
    a->job.collective = day.collectives[stream.below(static_cast<std::uint32_t>(day.collectives.size()))];
    a->job.nodes = place_job(taken, a->job.size, day.scattered, day.seed, number);
    if (oddl) {
      a->connections = group_connections(a->job, light.group_size, day.traffic.network.transceivers);
      auto found = channels.take_all(a->connections);
      if (!found) {
        stuck = ChannelTable(all_free).take_all(a->connections).has_value();
        return false;
      }
      a->channels = std::move(*found);
    }
    for (const int n : a->job.nodes) taken[static_cast<std::size_t>(n)] = true;
    free -= a->job.nodes.size();
    a->traffic = network.traffic_of(a->job);
    a->ideal_s = ideal.traffic_of(a->job).alone_s();
    a->iteration_s = a->ideal_s;  // until the network is solved with it
    a->left = std::max(1.0, std::round(a->job.duration_s / a->ideal_s));
    a->setup_until_s = now_s + (a->job.size > 1 ? day.setup_s : 0.0);
    ++result.started;
    result.mean_wait_s += now_s - a->job.arrives_s;
    active.push_back(std::move(a));
    return true;
  };
  const auto end_of = [&](const Active& a) {
    return std::max(now_s, a.setup_until_s) + a.left * a.iteration_s;
  };
  bool changed = true;
  while (now_s < day.horizon_s) {
    while (next < day.jobs.size() && day.jobs[next].arrives_s <= now_s) {
      ++result.arrived;
      if (network.serves(day.jobs[next].size))
        waiting.push(static_cast<std::uint32_t>(next));
      else
        ++result.refused;
      ++next;
    }
    while (!waiting.empty() && static_cast<std::size_t>(day.jobs[waiting.front()].size) <= free && !stuck) {
      const std::uint32_t head = waiting.front();
      if (start(head)) {
        changed |= day.jobs[head].size > 1;
      } else {
        ++result.blocked;
        if (stuck) {
          result.delayed += delayed != head;
          delayed = head;
          break;
        }
        ++result.refused;
      }
      waiting.pop();
    }
    if (changed) {
      if (at_each) at_each(now_s);
      std::vector<const JobTraffic*> jobs;
      for (const auto& a : active) jobs.push_back(&a->traffic);
      shared = network.iterations(jobs, day.window, day.seed, shared);
      std::int64_t flows = 0;
      for (std::size_t j = 0; j < active.size(); ++j) {
        active[j]->iteration_s = shared.iteration_s[j];
        if (active[j]->job.size > 1) flows += active[j]->job.size;
      }
      ++result.epochs;
      result.events += shared.events;
      result.coupled_epochs += shared.coupled > 0;
      result.peak_flows = std::max(result.peak_flows, flows);
      changed = false;
    }
    double until_s = std::min(day.horizon_s, next < day.jobs.size() ? day.jobs[next].arrives_s : day.horizon_s);
    for (const auto& a : active) until_s = std::min(until_s, end_of(*a));
    for (auto& a : active) {
      const double trained_s = std::max(0.0, until_s - std::max(now_s, a->setup_until_s));
      const double done = until_s >= end_of(*a) ? a->left : std::min(a->left, trained_s / a->iteration_s);
      a->left -= done;
      result.iterations += done;
      const double held_s = (until_s - now_s) * a->job.size, stretch = a->iteration_s / a->ideal_s;
      node_s += held_s;
      if (a->job.size == 1) continue;
      stretch_s += held_s * stretch;
      shared_s += held_s;
      result.worst_stretch = std::max(result.worst_stretch, stretch);
      const double bytes = std::accumulate(a->traffic.bytes.begin(), a->traffic.bytes.end(), 0.0);
      for (const PhaseLoad& p : a->traffic.phases) result.sent_bytes += done * bytes * p.sent_bytes;
    }
    now_s = until_s;
    std::erase_if(active, [&](const std::unique_ptr<Active>& a) {
      if (a->left > 0.0) return false;
      for (const int n : a->job.nodes) taken[static_cast<std::size_t>(n)] = false;
      free += a->job.nodes.size();
      for (std::size_t c = 0; c < a->channels.size(); ++c)
        channels.release(a->connections[c].source, a->connections[c].destination, a->channels[c]);
      stuck = false;
      ++result.finished;
      changed |= a->job.size > 1;
      return true;
    });
  }
  result.utilisation = node_s / (static_cast<double>(nodes) * day.horizon_s);
  for (; !waiting.empty(); waiting.pop())
    result.mean_wait_s += day.horizon_s - day.jobs[waiting.front()].arrives_s;
  if (result.arrived > result.refused)
    result.mean_wait_s /= static_cast<double>(result.arrived - result.refused);
  result.mean_stretch = shared_s > 0.0 ? stretch_s / shared_s : std::numeric_limits<double>::quiet_NaN();
  return result;
}

}  // namespace optinc
