#include <algorithm>
#include <map>
#include <numeric>

#include "experiments/fabrics/interconnect/circuits.hpp"
#include "experiments/fabrics/interconnect/communication.hpp"

namespace optinc {
namespace {

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

/// Whether the circuits of one phase serve another.
bool same_circuits(const std::vector<Transfer>& a, const std::vector<Transfer>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Transfer& x, const Transfer& y) {
    return x.source == y.source && x.destination == y.destination;
  });
}

/// How often circuits are set in all steps of a phase, `set_s` each.
std::int64_t times_set(const Scenario& s, const Fabric& fabric, const Step& step, const TransferPhase& phase,
                       const std::vector<Transfer>& in_place) {
  if (!fabric.circuits) return 0;
  if (s.network == "sip-ocs") return in_place.empty() ? 1 : 0;
  if (step.rounds > 1 || s.reconfigure == "every-step") return phase.repeats;
  return same_circuits(in_place, phase.transfers) ? 0 : 1;
}

/// Mean bytes that each server sends in a step of the phase.
std::vector<double> sent(std::int64_t servers, const TransferPhase& phase) {
  std::vector<double> bytes(static_cast<std::size_t>(servers), 0.0);
  const double share = static_cast<double>(phase.loads) / static_cast<double>(phase.repeats);
  for (const Transfer& t : phase.transfers) bytes[static_cast<std::size_t>(t.source)] += share * t.bytes;
  return bytes;
}

}  // namespace

void Communication::repeat(std::int64_t times, std::string name) {
  const auto factor = static_cast<double>(times);
  steps = {{std::move(name), times, 0.0, whole_s(), 0.0, 0, server_bytes}};
  for (double* value : {&serial_s, &latency_s, &circuits_s, &ports_s, &mean_links_s, &switched_bytes})
    *value *= factor;
  for (double& bytes : server_bytes) bytes *= factor;
  for (LinkUse& link : links) link.bytes *= factor;
}

void Communication::add_links(const std::vector<LinkUse>& others) {
  std::map<std::string, std::size_t> known;
  for (std::size_t l = 0; l < links.size(); ++l) known.emplace(links[l].name, l);
  for (const LinkUse& other : others) {
    const auto found = known.find(other.name);
    if (found == known.end()) {
      links.push_back(other);
      continue;
    }
    LinkUse& link = links[found->second];
    link.bytes += other.bytes;
    link.peak_flows = std::max(link.peak_flows, other.peak_flows);
  }
}

Communication between_servers(const Scenario& s, const Fabric& fabric, std::string_view collective,
                              double bytes, std::int64_t chunks, std::vector<Transfer>& in_place) {
  const int n = static_cast<int>(s.servers);
  Communication c;
  c.server_bytes.assign(static_cast<std::size_t>(n), 0.0);
  for (std::size_t l = 0; l < fabric.links.names.size(); ++l)
    c.links.push_back({fabric.links.names[l], fabric.links.capacity_bytes_per_s[l], 0.0, 0, 0.0});
  double at_s = 0.0;
  for (TransferPhase& phase : collective_phases(collective, n, bytes, chunks)) {
    const auto repeats = static_cast<double>(phase.repeats), loads = static_cast<double>(phase.loads);
    const Step step = solve_step(s, fabric, phase.transfers);
    c.steps.push_back({phase.name, phase.repeats, at_s, step.serial_s + step.latency_s, step.set_s,
                       times_set(s, fabric, step, phase, in_place), sent(s.servers, phase)});
    const StepRecord& record = c.steps.back();
    at_s += record.whole_s();
    c.serial_s += repeats * step.serial_s;
    c.latency_s += repeats * step.latency_s;
    c.circuits_s += static_cast<double>(record.times_set) * step.set_s;
    c.ports_s += repeats * busiest_port_s(n, phase.transfers, s.port_bytes_per_s());
    c.mean_links_s += repeats * step.mean_link_s;
    for (std::size_t i = 0; i < c.server_bytes.size(); ++i)
      c.server_bytes[i] += repeats * record.server_bytes[i];
    for (std::size_t l = 0; l < c.links.size(); ++l) {
      c.links[l].bytes += loads * step.link_bytes[l];
      c.links[l].peak_flows = std::max(c.links[l].peak_flows, step.link_flows[l]);
    }
    in_place = std::move(phase.transfers);
  }
  if (fabric.circuits) return c;
  for (const LinkUse& link : c.links) c.switched_bytes += link.bytes;
  c.switched_bytes -= sum(c.server_bytes);
  return c;
}

}  // namespace optinc
