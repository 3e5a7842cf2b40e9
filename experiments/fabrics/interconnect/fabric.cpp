#include "experiments/fabrics/interconnect/fabric.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "experiments/fabrics/interconnect/circuits.hpp"
#include "experiments/fabrics/interconnect/fat_tree.hpp"
#include "physics/random/stream.hpp"

namespace optinc {
namespace {

FatTree tree_of(const Scenario& s) {
  FatTree tree;
  tree.radix = static_cast<int>(s.radix);
  tree.link_bytes_per_s = s.port_bytes_per_s();
  tree.oversubscription = s.oversubscription;
  tree.routing = s.routing;
  tree.sub_flows = static_cast<int>(s.sub_flows);
  tree.seed = static_cast<std::uint64_t>(s.seed);
  return tree;
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

/// What a step puts on the links, and how long a flow's slowest one is busy with it.
void load_links(Step& step, const Fabric& fabric, const std::vector<Flow>& flows) {
  const std::vector<double>& capacity = fabric.links.capacity_bytes_per_s;
  step.link_bytes.assign(capacity.size(), 0.0);
  step.link_flows = flows_per_link(capacity.size(), flows);
  for (const Flow& flow : flows)
    for (const int l : flow.links) step.link_bytes[static_cast<std::size_t>(l)] += flow.bytes;
  for (const Flow& flow : flows) {
    double slowest_s = 0.0;
    for (const int l : flow.links) {
      const auto link = static_cast<std::size_t>(l);
      slowest_s = std::max(slowest_s, step.link_bytes[link] / capacity[link]);
    }
    step.mean_link_s += slowest_s / static_cast<double>(flows.size());
  }
}

}  // namespace

std::vector<int> server_places(const Scenario& s) {
  std::vector<int> all(static_cast<std::size_t>(s.network == "fat-tree" ? tree_of(s).hosts() : s.servers));
  std::iota(all.begin(), all.end(), 0);
  if (s.placement == "random" && reads_key(s, "placement")) {
    Stream stream(static_cast<std::uint64_t>(s.seed), Purpose::server_placement);
    for (std::size_t i = 0; i + 1 < all.size(); ++i)
      std::swap(all[i], all[i + stream.below(static_cast<std::uint32_t>(all.size() - i))]);
  }
  all.resize(static_cast<std::size_t>(s.servers));
  return all;
}

Fabric make_fabric(const Scenario& s) {
  Fabric fabric;
  const int n = static_cast<int>(s.servers);
  const double port = s.port_bytes_per_s();
  if (s.network == "fat-tree") {
    const FatTree tree = tree_of(s);
    fabric.links = fat_tree_links(tree);
    fabric.places = server_places(s);
    return fabric;
  }
  fabric.circuits = s.network != "switch";
  fabric.dedicated = s.network == "sip-ocs" || s.network == "oddl";
  for (const char* way : {"up", "down"})
    for (int i = 0; i < n; ++i) fabric.links.add(fmt::format("server {} {}", i, way), port);
  fabric.places = server_places(s);
  if (s.network != "sip-ring") return fabric;
  const bool both = s.directions == "both";
  double segment = static_cast<double>(s.wavelengths) * s.wavelength_rate_bit_per_s * s.efficiency / 8.0;
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

Step solve_step(const Scenario& s, const Fabric& fabric, const std::vector<Transfer>& transfers) {
  Step step;
  const std::vector<Flow> flows = flows_of(s, fabric, transfers);
  load_links(step, fabric, flows);
  const int n = static_cast<int>(s.servers), t = static_cast<int>(s.transceivers);
  if (s.network == "oddl") {
    const double set_s = s.control_delay_s + s.laser_tuning_s;
    const auto rounds = circuit_rounds(n, transfers, t, s.port_bytes_per_s(), set_s);
    step.rounds = static_cast<std::int64_t>(rounds.size());
    step.latency_s = s.step_latency_s;
    for (const CircuitRound& round : rounds) {
      step.set_s += round.set_s;
      step.serial_s += round.serial_s;
    }
    return step;
  }
  if (s.network == "sip-ocs") {
    double most = 0.0;
    for (const Transfer& transfer : transfers) most = std::max(most, transfer.bytes);
    const int each = t / circuit_degree(s.collective, n);
    step.serial_s = most / s.port_bytes_per_s() * t / each;
    step.latency_s = s.step_latency_s;
    step.set_s = s.reconfiguration_s;
    return step;
  }
  const PhaseEnd end = phase_end(fabric.links.capacity_bytes_per_s, flows);
  step.latency_s = end.latency_s;
  step.serial_s = end.arrived_s - end.latency_s;
  if (fabric.circuits) step.set_s = s.reconfiguration_s;
  return step;
}

}  // namespace optinc
