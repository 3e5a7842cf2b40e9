#include "experiments/fabrics/interconnect/fat_tree.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "physics/core/check.hpp"
#include "physics/core/names.hpp"
#include "physics/core/suggestion.hpp"
#include "physics/random/stream.hpp"

namespace optinc {
namespace {

constexpr std::array<std::string_view, 3> routings = {"spray", "d-mod-k", "ecmp"};

/// Where each kind of link begins in the table. Sprayed, an edge switch has one trunk up and one down, and so
/// has a pod.
struct Places {
  int half, edges, per_edge, per_pod;
  int host_up, host_down, edge_up, edge_down, pod_up, pod_down, end;
};

Places places_of(const FatTree& t) {
  const int half = t.radix / 2, edges = t.radix * half;
  const bool trunk = t.routing == "spray";
  Places p{half, edges, trunk ? 1 : half, trunk ? 1 : half * half, 0, 0, 0, 0, 0, 0, 0};
  p.host_down = t.hosts();
  p.edge_up = 2 * t.hosts();
  p.edge_down = p.edge_up + edges * p.per_edge;
  p.pod_up = p.edge_down + edges * p.per_edge;
  p.pod_down = p.pod_up + t.radix * p.per_pod;
  p.end = p.pod_down + t.radix * p.per_pod;
  return p;
}

}  // namespace

std::span<const std::string_view> routing_names() { return routings; }

int fitting_radix(int servers) {
  int radix = 2;
  while (radix * radix * radix / 4 < servers) radix += 2;
  return radix;
}

LinkTable fat_tree_links(const FatTree& t) {
  validate(t.radix >= 2 && t.radix <= 64 && t.radix % 2 == 0,
           "fat-tree of radix {} (even, 2..64). Half of a switch's ports lead up.", t.radix);
  validate(std::isfinite(t.link_bytes_per_s) && t.link_bytes_per_s > 0.0,
           "fat-tree with links of {} bytes/s (positive and finite). Give them a bandwidth.",
           t.link_bytes_per_s);
  validate(std::isfinite(t.oversubscription) && t.oversubscription >= 1.0,
           "oversubscription = {} (1 or more). 1 is a tree that blocks nothing.", t.oversubscription);
  validate(std::find(routings.begin(), routings.end(), t.routing) != routings.end(),
           "routing = {} (one of {}). {}", t.routing, join_names(routings), suggestion(t.routing, routings));
  validate(t.sub_flows >= 1 && t.sub_flows <= 4096,
           "sub_flows = {} (1..4096). Hash at least one flow a connection.", t.sub_flows);
  const Places p = places_of(t);
  const double core = t.link_bytes_per_s / t.oversubscription;
  LinkTable links;
  for (const char* way : {"up", "down"})
    for (int h = 0; h < t.hosts(); ++h) links.add(fmt::format("host {} {}", h, way), t.link_bytes_per_s);
  for (const char* way : {"up", "down"})
    for (int e = 0; e < p.edges; ++e)
      for (int a = 0; a < p.per_edge; ++a)
        links.add(p.per_edge == 1 && p.half > 1 ? fmt::format("edge {} {}", e, way)
                                                : fmt::format("edge {} port {} {}", e, a, way),
                  core * p.half / p.per_edge);
  for (const char* way : {"up", "down"})
    for (int pod = 0; pod < t.radix; ++pod)
      for (int c = 0; c < p.per_pod; ++c)
        links.add(p.per_pod == 1 && p.half > 1 ? fmt::format("pod {} {}", pod, way)
                                               : fmt::format("pod {} core {} {}", pod, c, way),
                  core * p.half * p.half / p.per_pod);
  return links;
}

std::vector<std::vector<int>> fat_tree_paths(const FatTree& t, int source, int destination) {
  validate(source >= 0 && source < t.hosts() && destination >= 0 && destination < t.hosts(),
           "flow from host {} to {} (0..{}). Raise radix.", source, destination, t.hosts() - 1);
  validate(source != destination, "flow from host {} to itself (two hosts). Leave it out.", source);
  const Places p = places_of(t);
  const int from = source / p.half, to = destination / p.half;  // edge switches
  // parts of equal size even where there is one path: phase_end then needs no events
  const int parts = t.routing == "ecmp" ? t.sub_flows : 1;
  Stream hash(t.seed, Purpose::routing_hash, static_cast<std::uint32_t>(source),
              static_cast<std::uint32_t>(destination));
  std::vector<std::vector<int>> paths;
  for (int part = 0; part < parts; ++part) {
    std::vector<int> path = {p.host_up + source};
    if (from != to) {
      int aggregation = 0, core = 0;  // of the pod; of the aggregation switch
      if (t.routing == "d-mod-k") {
        aggregation = destination % p.half;
        core = destination / p.half % p.half;
      } else if (t.routing == "ecmp") {
        aggregation = static_cast<int>(hash.below(static_cast<std::uint32_t>(p.half)));
        core = static_cast<int>(hash.below(static_cast<std::uint32_t>(p.half)));
      }
      const int pod_from = from / p.half, pod_to = to / p.half;
      path.push_back(p.edge_up + from * p.per_edge + aggregation);
      if (pod_from != pod_to) {
        const int line = p.per_pod == 1 ? 0 : aggregation * p.half + core;
        path.push_back(p.pod_up + pod_from * p.per_pod + line);
        path.push_back(p.pod_down + pod_to * p.per_pod + line);
      }
      path.push_back(p.edge_down + to * p.per_edge + aggregation);
    }
    path.push_back(p.host_down + destination);
    paths.push_back(std::move(path));
  }
  return paths;
}

}  // namespace optinc
