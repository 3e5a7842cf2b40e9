#include "experiments/fabrics/cluster/contention.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace optinc {
namespace {

/// A link, and what flows, in ascending order, take of it per byte of their rate.
struct SharedLink {
  double capacity_bytes_per_s = 0.0;
  std::vector<std::pair<std::size_t, double>> loads;

  auto operator<=>(const SharedLink&) const = default;
};

/// Whether flows that fit into one link always fit into the other.
bool implies(const SharedLink& link, const SharedLink& other) {
  auto at = link.loads.begin();
  return other.loads.size() <= link.loads.size() &&
         std::all_of(other.loads.begin(), other.loads.end(), [&](const auto& load) {
           while (at != link.loads.end() && at->first < load.first) ++at;
           return at != link.loads.end() && at->first == load.first &&
                  at->second * other.capacity_bytes_per_s >= load.second * link.capacity_bytes_per_s;
         });
}

}  // namespace

bool contended(double demand_bytes_per_s, double capacity_bytes_per_s) {
  return demand_bytes_per_s > capacity_bytes_per_s * (1 + 1e-9);
}

std::vector<std::pair<int, double>> largest_demand(std::span<const PhaseLoad> phases) {
  std::map<int, double> demand;
  for (const PhaseLoad& p : phases)
    for (std::size_t i = 0; i < p.links.size(); ++i) {
      double& most = demand[p.links[i]];
      most = std::max(most, p.weights[i] * p.alone_bytes_per_s);
    }
  return {demand.begin(), demand.end()};
}

Contention::Contention(std::span<const double> all, std::span<const double> demand,
                       std::span<const std::span<const PhaseLoad>> phases) {
  std::map<int, SharedLink> narrow;
  for (const std::span<const PhaseLoad> of : phases) {
    first.push_back(flows.size());
    for (const PhaseLoad& p : of) {
      for (std::size_t i = 0; i < p.links.size(); ++i)
        if (const auto l = static_cast<std::size_t>(p.links[i]); contended(demand[l], all[l])) {
          SharedLink& link = narrow[p.links[i]];
          link.capacity_bytes_per_s = all[l];
          link.loads.emplace_back(flows.size(), p.weights[i]);
        }
      flows.push_back({{static_cast<int>(capacity.size())}, 0.0, 0.0, {1.0}});
      capacity.push_back(p.alone_bytes_per_s);
    }
  }
  std::set<SharedLink> distinct;
  for (auto& [number, link] : narrow) distinct.insert(std::move(link));
  std::vector<const SharedLink*> kept;
  for (const SharedLink& link : distinct) {
    if (std::any_of(kept.begin(), kept.end(), [&](const SharedLink* k) { return implies(*k, link); })) continue;
    std::erase_if(kept, [&](const SharedLink* k) { return implies(link, *k); });
    kept.push_back(&link);
  }
  for (const SharedLink* link : kept) {
    for (const auto& [flow, weight] : link->loads) {
      flows[flow].links.push_back(static_cast<int>(capacity.size()));
      flows[flow].weights.push_back(weight);
    }
    capacity.push_back(link->capacity_bytes_per_s);
  }
}

}  // namespace optinc
