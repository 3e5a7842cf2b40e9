#include "experiments/interconnect/fabric.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "physics/random/stream.hpp"

namespace optinc {
namespace {

FatTree tree_of(const Scenario& s) {
  FatTree tree;
  tree.radix = s.radix > 0 ? static_cast<int>(s.radix) : fitting_radix(static_cast<int>(s.servers));
  tree.link_bytes_per_s = s.port_bytes_per_s();
  tree.oversubscription = s.oversubscription;
  tree.routing = s.routing;
  tree.sub_flows = static_cast<int>(s.sub_flows);
  tree.seed = static_cast<std::uint64_t>(s.seed);
  return tree;
}

std::vector<int> placed(const Scenario& s, int places) {
  std::vector<int> all(static_cast<std::size_t>(places));
  std::iota(all.begin(), all.end(), 0);
  if (s.placement == "random") {
    Stream stream(static_cast<std::uint64_t>(s.seed), Purpose::server_placement);
    for (std::size_t i = 0; i + 1 < all.size(); ++i)
      std::swap(all[i], all[i + stream.below(static_cast<std::uint32_t>(all.size() - i))]);
  }
  all.resize(static_cast<std::size_t>(s.servers));
  return all;
}

/// Segments of a ring from one place to another; segment i leads from place i to the next, n + i the other way.
std::vector<int> segments(int from, int to, int n, bool both) {
  const int ahead = (to - from + n) % n;
  std::vector<int> path;
  if (!both || 2 * ahead <= n)
    for (int i = 0; i < ahead; ++i) path.push_back((from + i) % n);
  else
    for (int i = 0; i < n - ahead; ++i) path.push_back(n + (from - 1 - i + n) % n);
  return path;
}

}  // namespace

Fabric make_fabric(const Scenario& s) {
  Fabric fabric;
  const int n = static_cast<int>(s.servers);
  const double port = s.port_bytes_per_s();
  if (s.network == "fat-tree") {
    const FatTree tree = tree_of(s);
    fabric.links = fat_tree_links(tree);
    fabric.places = placed(s, tree.hosts());
    return fabric;
  }
  fabric.circuits = s.network != "switch";
  fabric.dedicated = s.network == "sip-ocs" || s.network == "oddl";
  for (const char* way : {"up", "down"})
    for (int i = 0; i < n; ++i) fabric.links.add(fmt::format("server {} {}", i, way), port);
  fabric.places = placed(s, n);
  if (s.network != "sip-ring") return fabric;
  const double rate = s.wavelength_rate_bit_per_s > 0.0
                          ? s.wavelength_rate_bit_per_s * s.efficiency
                          : port * 8.0 / 64.0;  // 64 wavelengths carry a port's rate
  const bool both = s.directions == "both";
  double segment = static_cast<double>(s.wavelengths) * rate / 8.0;
  if (s.spectrum == "shared") segment /= 2.0;
  for (const char* way : {"clockwise", "counter-clockwise"})
    for (int i = 0; i < n && (both || way[1] == 'l'); ++i)
      fabric.links.add(fmt::format("segment {} {}", i, way), segment);
  return fabric;
}

std::vector<Flow> flows_of(const Scenario& s, const Fabric& fabric, const std::vector<Transfer>& transfers) {
  const int n = static_cast<int>(s.servers);
  std::vector<Flow> flows;
  const auto hops = [&](std::size_t links) {
    return s.step_latency_s + static_cast<double>(links) * s.hop_latency_s;
  };
  const FatTree tree = s.network == "fat-tree" ? tree_of(s) : FatTree{};
  for (const Transfer& t : transfers) {
    const int from = fabric.places[static_cast<std::size_t>(t.source)],
              to = fabric.places[static_cast<std::size_t>(t.destination)];
    if (s.network == "fat-tree") {
      auto paths = fat_tree_paths(tree, from, to);
      const double share = t.bytes / static_cast<double>(paths.size());
      for (auto& path : paths) {
        const double latency_s = hops(path.size());
        flows.push_back({std::move(path), share, latency_s});
      }
      continue;
    }
    Flow flow{{t.source, n + t.destination}, t.bytes, s.step_latency_s};
    if (s.network == "switch") flow.latency_s = hops(flow.links.size());
    if (s.network == "sip-ring")
      for (const int segment : segments(from, to, n, s.directions == "both"))
        flow.links.push_back(2 * n + segment);
    flows.push_back(std::move(flow));
  }
  return flows;
}

StepTime step_time(const Scenario& s, const Fabric& fabric, const std::vector<Transfer>& transfers) {
  StepTime time;
  if (!fabric.dedicated) {
    const PhaseEnd end = phase_end(fabric.links.capacity_bytes_per_s, flows_of(s, fabric, transfers));
    time.latency_s = end.latency_s;
    time.serial_s = end.arrived_s - end.latency_s;
    if (fabric.circuits) time.reconfiguration_s = s.reconfiguration_s;
    return time;
  }
  std::vector<double> out(static_cast<std::size_t>(s.servers), 0.0), in = out;
  std::vector<std::set<int>> sends(out.size()), receives(out.size());
  for (const Transfer& t : transfers) {
    const auto from = static_cast<std::size_t>(t.source), to = static_cast<std::size_t>(t.destination);
    out[from] += t.bytes;
    in[to] += t.bytes;
    sends[from].insert(t.destination);
    receives[to].insert(t.source);
  }
  std::size_t degree = 0;
  for (std::size_t i = 0; i < out.size(); ++i) degree = std::max({degree, sends[i].size(), receives[i].size()});
  const double rounds = std::ceil(static_cast<double>(degree) / static_cast<double>(s.transceivers));
  time.serial_s = std::max(*std::max_element(out.begin(), out.end()), *std::max_element(in.begin(), in.end())) /
                  s.port_bytes_per_s();
  time.latency_s = s.step_latency_s;
  time.reconfiguration_s = rounds * s.reconfiguration_s;
  return time;
}

}  // namespace optinc
