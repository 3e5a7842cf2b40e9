#include "experiments/fabrics/interconnect/max_min.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
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

}  // namespace

MaxMinSolver::MaxMinSolver(std::span<const double> capacity, std::span<const Flow> flows)
    : capacity_(capacity),
      flows_(flows),
      first_(capacity.size() + 1, 0),
      links_(capacity.size()),
      present_(flows.size(), 0),
      waiting_(flows.size(), 0),
      rates_(flows.size(), 0.0) {
  check_flows(capacity, flows);
  for (const Flow& flow : flows)
    for (const int l : flow.links) ++first_[static_cast<std::size_t>(l) + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  over_.resize(first_.back());
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  for (std::size_t f = 0; f < flows.size(); ++f)
    for (const int l : flows[f].links) over_[next[static_cast<std::size_t>(l)]++] = f;
}

void MaxMinSolver::touch(std::size_t flow) {
  for (const int l : flows_[flow].links) {
    Link& link = links_[static_cast<std::size_t>(l)];
    if (!link.touched) touched_.push_back(static_cast<std::size_t>(l));
    link.touched = true;
  }
}

void MaxMinSolver::set(std::size_t flow, bool present) {
  if (present_[flow] == static_cast<char>(present)) return;
  present_[flow] = static_cast<char>(present);
  rates_[flow] = 0.0;
  touch(flow);
}

/// Flows that share a link with one that came or went, or with one that does, and so on: `changed_`, in order.
void MaxMinSolver::find_changed() {
  changed_.clear();
  for (std::size_t t = 0; t < touched_.size(); ++t)
    for (std::size_t k = first_[touched_[t]]; k < first_[touched_[t] + 1]; ++k) {
      const std::size_t f = over_[k];
      if (!present_[f] || waiting_[f]) continue;
      waiting_[f] = 1;
      changed_.push_back(f);
      touch(f);
    }
  std::sort(changed_.begin(), changed_.end());
}

double MaxMinSolver::weight(std::size_t flow, std::size_t hop) const {
  return flows_[flow].weights.empty() ? 1.0 : flows_[flow].weights[hop];
}

/// Gives a waiting flow its rate, and takes that from its links.
void MaxMinSolver::settle(std::size_t flow, double rate) {
  waiting_[flow] = 0;
  rates_[flow] = rate;
  for (std::size_t i = 0; i < flows_[flow].links.size(); ++i) {
    Link& link = links_[static_cast<std::size_t>(flows_[flow].links[i])];
    link.left = std::max(0.0, link.left - weight(flow, i) * rate);
    link.load -= weight(flow, i);
    --link.flows;
  }
}

const std::vector<double>& MaxMinSolver::rates() {
  find_changed();
  for (const std::size_t l : touched_) links_[l] = {capacity_[l]};
  for (const std::size_t f : changed_)
    for (std::size_t i = 0; i < flows_[f].links.size(); ++i) {
      Link& link = links_[static_cast<std::size_t>(flows_[f].links[i])];
      ++link.flows;
      link.load += weight(f, i);
    }
  // A link's share only grows while flows of lesser rates leave it, so that an old entry of the queue is a
  // lower bound and may be looked at again.
  queue_.clear();
  for (const std::size_t l : touched_)
    if (links_[l].flows > 0) queue_.emplace_back(links_[l].left / links_[l].load, l);
  touched_.clear();
  const auto last = [](const auto& a, const auto& b) {  // links by number where shares are equal
    return a.first > b.first || (a.first == b.first && a.second > b.second);
  };
  std::make_heap(queue_.begin(), queue_.end(), last);
  for (std::size_t wait = changed_.size(); wait > 0;) {
    std::pop_heap(queue_.begin(), queue_.end(), last);
    auto& [share, link] = queue_.back();
    const double now = links_[link].left / links_[link].load;
    if (links_[link].flows > 0 && now > share * (1 + 1e-15)) {
      share = now;
      std::push_heap(queue_.begin(), queue_.end(), last);
      continue;
    }
    const std::size_t full = link;
    queue_.pop_back();
    for (std::size_t k = first_[full]; links_[full].flows > 0 && k < first_[full + 1]; ++k)
      if (waiting_[over_[k]]) {
        settle(over_[k], now);
        --wait;
      }
  }
  return rates_;
}

std::vector<double> max_min_rates(std::span<const double> capacity, std::span<const Flow> flows) {
  MaxMinSolver solver(capacity, flows);
  for (std::size_t f = 0; f < flows.size(); ++f) solver.set(f, true);
  return solver.rates();
}

FlowTimes complete_flows(std::span<const double> capacity, std::span<const Flow> flows) {
  MaxMinSolver solver(capacity, flows);
  validate(std::all_of(flows.begin(), flows.end(), [](const Flow& f) { return f.weights.empty(); }),
           "flows with weights to complete (max_min_rates alone knows them). Leave them out.");
  FlowTimes times{std::vector<double>(flows.size(), 0.0), {}};
  std::vector<double> left;
  std::vector<std::size_t> present;
  for (std::size_t f = 0; f < flows.size(); ++f) {
    left.push_back(flows[f].bytes);
    if (left[f] == 0.0) continue;
    present.push_back(f);
    solver.set(f, true);
  }
  double now = 0.0;
  while (!present.empty()) {
    const std::vector<double>& rates = solver.rates();
    double step = std::numeric_limits<double>::infinity();
    for (const std::size_t f : present) step = std::min(step, left[f] / rates[f]);
    now += step;
    std::erase_if(present, [&](std::size_t f) {
      left[f] -= rates[f] * step;
      // what ends together must not be split by rounding: each event would cost a solution
      if (left[f] > 1e-11 * flows[f].bytes) return false;
      times.sent_s[f] = now;
      solver.set(f, false);
      return true;
    });
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
