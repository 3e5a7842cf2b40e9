#include "experiments/analysis/interconnect/max_min.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <utility>

#include "physics/core/check.hpp"

namespace optinc {
namespace {

void check_flows(std::span<const double> capacity, std::span<const Flow> flows) {
  for (std::size_t l = 0; l < capacity.size(); ++l)
    validate(std::isfinite(capacity[l]) && capacity[l] > 0.0,
             "link {} carries {} bytes/s (positive and finite). Give it a bandwidth.", l, capacity[l]);
  std::vector<std::size_t> crossed(capacity.size(), flows.size());  // by which flow last
  for (std::size_t f = 0; f < flows.size(); ++f) {
    validate(!flows[f].links.empty(), "flow {} crosses no link (at least one). Route it.", f);
    for (const int l : flows[f].links) {
      validate(l >= 0 && static_cast<std::size_t>(l) < capacity.size(),
               "flow {} crosses link {} (0..{}). Route it over links that exist.", f, l, capacity.size() - 1);
      const auto link = static_cast<std::size_t>(l);
      validate(crossed[link] != f, "flow {} crosses link {} twice (once each). Take the loop out.", f, l);
      crossed[link] = f;
    }
    validate(flows[f].weights.empty() || (flows[f].weights.size() == flows[f].links.size() &&
                                          std::all_of(flows[f].weights.begin(), flows[f].weights.end(),
                                                      [](double w) { return std::isfinite(w) && w > 0.0; })),
             "flow {} of {} links with {} weights (one a link, positive and finite). Give one positive weight "
             "for each link.",
             f, flows[f].links.size(), flows[f].weights.size());
    validate(std::isfinite(flows[f].bytes) && flows[f].bytes >= 0.0,
             "flow {} has {} bytes (0 or more, finite). Set a size in this range.", f, flows[f].bytes);
    validate(std::isfinite(flows[f].latency_s) && flows[f].latency_s >= 0.0,
             "flow {} has a latency of {} s (0 or more, finite). Set a value in this range.", f,
             flows[f].latency_s);
  }
}

/// Which flows cross each link.
std::vector<std::vector<int>> crossing(std::size_t links, std::span<const Flow> flows) {
  std::vector<std::vector<int>> result(links);
  for (std::size_t f = 0; f < flows.size(); ++f)
    for (const int l : flows[f].links) result[static_cast<std::size_t>(l)].push_back(static_cast<int>(f));
  return result;
}

/// Rates of the flows that `waiting` marks; those of others are left alone. A link's share only grows while
/// flows of lesser rates leave it, so that an old entry of the queue is a lower bound and may be looked at
/// again.
void fill_rates(std::span<const double> capacity, std::span<const Flow> flows,
                const std::vector<std::vector<int>>& over, std::vector<char> waiting,
                std::vector<double>& rates) {
  std::vector<double> left(capacity.begin(), capacity.end());
  std::vector<int> count(capacity.size(), 0);
  std::vector<double> load(capacity.size(), 0.0);  // weights of the flows that are counted
  const auto weight = [&](std::size_t f, std::size_t i) {
    return flows[f].weights.empty() ? 1.0 : flows[f].weights[i];
  };
  for (std::size_t f = 0; f < flows.size(); ++f)
    if (waiting[f])
      for (std::size_t i = 0; i < flows[f].links.size(); ++i) {
        ++count[static_cast<std::size_t>(flows[f].links[i])];
        load[static_cast<std::size_t>(flows[f].links[i])] += weight(f, i);
      }
  using Entry = std::pair<double, std::size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  for (std::size_t l = 0; l < capacity.size(); ++l)
    if (count[l] > 0) queue.push({left[l] / load[l], l});
  while (!queue.empty()) {
    const auto [share, link] = queue.top();
    queue.pop();
    if (count[link] == 0) continue;
    const double now = left[link] / load[link];
    if (now > share * (1 + 1e-15)) {
      queue.push({now, link});
      continue;
    }
    for (const int f : over[link]) {
      const auto flow = static_cast<std::size_t>(f);
      if (!waiting[flow]) continue;
      waiting[flow] = 0;
      rates[flow] = now;
      for (std::size_t i = 0; i < flows[flow].links.size(); ++i) {
        const auto other = static_cast<std::size_t>(flows[flow].links[i]);
        left[other] = std::max(0.0, left[other] - weight(flow, i) * now);
        load[other] -= weight(flow, i);
        --count[other];
      }
    }
  }
}

}  // namespace

std::vector<double> max_min_rates(std::span<const double> capacity, std::span<const Flow> flows) {
  check_flows(capacity, flows);
  std::vector<double> rates(flows.size(), 0.0);
  fill_rates(capacity, flows, crossing(capacity.size(), flows), std::vector<char>(flows.size(), 1), rates);
  return rates;
}

FlowTimes complete_flows(std::span<const double> capacity, std::span<const Flow> flows) {
  check_flows(capacity, flows);
  validate(std::all_of(flows.begin(), flows.end(), [](const Flow& f) { return f.weights.empty(); }),
           "flows with weights to complete (max_min_rates alone knows them). Leave them out.");
  const auto over = crossing(capacity.size(), flows);
  FlowTimes times{std::vector<double>(flows.size(), 0.0), {}};
  std::vector<double> left(flows.size()), rates(flows.size(), 0.0);
  std::vector<char> waiting(flows.size());
  for (std::size_t f = 0; f < flows.size(); ++f) {
    left[f] = flows[f].bytes;
    waiting[f] = left[f] > 0.0;
  }
  double now = 0.0;
  while (std::any_of(waiting.begin(), waiting.end(), [](char w) { return w != 0; })) {
    fill_rates(capacity, flows, over, waiting, rates);
    double step = std::numeric_limits<double>::infinity();
    for (std::size_t f = 0; f < flows.size(); ++f)
      if (waiting[f]) step = std::min(step, left[f] / rates[f]);
    now += step;
    for (std::size_t f = 0; f < flows.size(); ++f) {
      if (!waiting[f]) continue;
      left[f] -= rates[f] * step;
      // what ends together must not be split by rounding: each event would cost a solution
      if (left[f] > 1e-11 * flows[f].bytes) continue;
      waiting[f] = 0;
      times.sent_s[f] = now;
    }
  }
  for (std::size_t f = 0; f < flows.size(); ++f)
    times.arrived_s.push_back(times.sent_s[f] + flows[f].latency_s);
  return times;
}

std::vector<int> flows_per_link(std::size_t links, std::span<const Flow> flows) {
  std::vector<int> count(links, 0);
  for (const Flow& flow : flows)
    for (const int l : flow.links) ++count[static_cast<std::size_t>(l)];
  return count;
}

PhaseEnd phase_end(std::span<const double> capacity, std::span<const Flow> flows) {
  check_flows(capacity, flows);
  if (flows.empty()) return {};
  const bool equal = std::all_of(flows.begin(), flows.end(), [&](const Flow& f) {
    return f.bytes == flows[0].bytes && f.latency_s == flows[0].latency_s && f.weights.empty();
  });
  PhaseEnd end;
  if (equal) {
    const std::vector<int> count = flows_per_link(capacity.size(), flows);
    double longest = 0.0;
    for (std::size_t l = 0; l < capacity.size(); ++l)
      longest = std::max(longest, count[l] * flows[0].bytes / capacity[l]);
    end.latency_s = flows[0].latency_s;
    end.arrived_s = longest + end.latency_s;
    return end;
  }
  const FlowTimes times = complete_flows(capacity, flows);
  for (std::size_t f = 0; f < flows.size(); ++f)
    if (times.arrived_s[f] > end.arrived_s) end = {times.arrived_s[f], flows[f].latency_s};
  return end;
}

}  // namespace optinc
