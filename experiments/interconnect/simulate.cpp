#include "experiments/interconnect/simulate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "experiments/interconnect/fabric.hpp"

namespace optinc {
namespace {

constexpr double fibre_s_per_m = 1.468 / 299792458.0;

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

/// Bytes that each server sends.
std::vector<double> sent(std::int64_t servers, const std::vector<Transfer>& transfers) {
  std::vector<double> bytes(static_cast<std::size_t>(servers), 0.0);
  for (const Transfer& t : transfers) bytes[static_cast<std::size_t>(t.source)] += t.bytes;
  return bytes;
}

/// Serial time of a step where only ports are shared.
double port_time(const Scenario& s, const std::vector<Transfer>& transfers) {
  std::vector<double> out = sent(s.servers, transfers), in(out.size(), 0.0);
  for (const Transfer& t : transfers) in[static_cast<std::size_t>(t.destination)] += t.bytes;
  return std::max(*std::max_element(out.begin(), out.end()), *std::max_element(in.begin(), in.end())) /
         s.port_bytes_per_s();
}

/// Whether the circuits of one phase serve another.
bool same_circuits(const std::vector<Transfer>& a, const std::vector<Transfer>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Transfer& x, const Transfer& y) {
    return x.source == y.source && x.destination == y.destination;
  });
}

void between_servers(const Scenario& s, IterationResult& r) {
  const Fabric fabric = make_fabric(s);
  const std::int64_t chunks = s.chunks > 0
                                  ? s.chunks
                                  : best_chunks(s.collective, static_cast<int>(s.servers), r.payload_bytes,
                                                s.port_bytes_per_s(), s.step_latency_s);
  const auto phases = collective_phases(s.collective, static_cast<int>(s.servers), r.payload_bytes, chunks);
  std::vector<double> server_bytes(static_cast<std::size_t>(s.servers), 0.0),
      link_bytes(fabric.links.names.size(), 0.0);
  std::vector<int> peak(link_bytes.size(), 0);
  double alone_s = 0.0, at_s = 0.0;
  const TransferPhase* before = nullptr;
  for (const TransferPhase& phase : phases) {
    const auto repeats = static_cast<double>(phase.repeats);
    const StepTime step = step_time(s, fabric, phase.transfers);
    double times_set = 0.0;
    if (fabric.circuits) {
      const bool anew = before == nullptr || !same_circuits(before->transfers, phase.transfers);
      times_set = s.reconfigure == "every-step" ? repeats : (anew ? 1.0 : 0.0);
    }
    const double set_s = times_set * step.reconfiguration_s, step_s = step.serial_s + step.latency_s;
    r.time.serial_s += repeats * step.serial_s;
    r.time.latency_s += repeats * step.latency_s;
    r.time.reconfiguration_s += set_s;
    alone_s += repeats * port_time(s, phase.transfers);
    const std::vector<double> bytes = sent(s.servers, phase.transfers);
    for (std::size_t i = 0; i < bytes.size(); ++i) server_bytes[i] += repeats * bytes[i];
    r.steps.push_back({phase.name, phase.repeats, at_s, step_s, set_s, bytes});
    at_s += set_s + repeats * step_s;
    std::vector<int> flows_here(peak.size(), 0);
    for (const Flow& flow : flows_of(s, fabric, phase.transfers))
      for (const int l : flow.links) {
        link_bytes[static_cast<std::size_t>(l)] += repeats * flow.bytes;
        ++flows_here[static_cast<std::size_t>(l)];
      }
    for (std::size_t l = 0; l < peak.size(); ++l) peak[l] = std::max(peak[l], flows_here[l]);
    before = &phase;
  }
  if (fabric.circuits) r.time.reconfiguration_s += s.setup_s / static_cast<double>(s.job_iterations);
  r.sent_bytes = *std::max_element(server_bytes.begin(), server_bytes.end());
  r.slowdown = r.time.serial_s / alone_s;
  for (std::size_t l = 0; l < link_bytes.size(); ++l)
    r.links.push_back(
        {fabric.links.names[l], fabric.links.capacity_bytes_per_s[l], link_bytes[l], peak[l], 0.0});
  // a circuit is one fibre pair of transceivers; through switches every link is one, and all but the last enter
  // a switch
  const double paths = sum(server_bytes), hops = sum(link_bytes);
  r.energy_j = 8.0 * (fabric.circuits ? paths * s.transceiver_j_per_bit
                                      : hops * s.transceiver_j_per_bit + (hops - paths) * s.switch_j_per_bit);
}

/// Units of a tree whose leaves are the servers.
std::int64_t units_of(const Scenario& s) {
  std::int64_t below = s.servers, units = 0;
  for (std::int64_t level = 0; level < levels_of(s); ++level) {
    below = (below + s.fan_in - 1) / s.fan_in;
    units += below;
  }
  return units;
}

/// Levels of switches that the servers of a fat-tree need, all of its hosts being taken in order or anywhere.
double levels_that_span(const Scenario& s) {
  if (s.network == "switch") return 1.0;
  const Fabric fabric = make_fabric(s);
  const int radix = s.radix > 0 ? static_cast<int>(s.radix) : fitting_radix(static_cast<int>(s.servers));
  const int half = radix / 2, first = fabric.places[0];
  const auto all_within = [&](int hosts) {
    return std::all_of(fabric.places.begin(), fabric.places.end(),
                       [&](int place) { return place / hosts == first / hosts; });
  };
  if (all_within(half)) return 1.0;
  return all_within(half * half) ? 2.0 : 3.0;
}

void inside_network(const Scenario& s, IterationResult& r) {
  const double port = s.port_bytes_per_s(), n = static_cast<double>(s.servers);
  r.time.serial_s = r.payload_bytes / port;
  r.sent_bytes = r.payload_bytes;
  r.slowdown = 1.0;
  const double traffic_bit = 8.0 * n * r.payload_bytes;
  if (s.collective == "in-network") {
    const double levels = levels_that_span(s);
    r.time.latency_s = 2.0 * s.step_latency_s + 2.0 * levels * (s.hop_latency_s + s.aggregation_latency_s);
    // up and down a server's link; further up each switch sends one sum, which the servers' links outnumber
    r.energy_j = 2.0 * traffic_bit * s.transceiver_j_per_bit + traffic_bit * s.switch_j_per_bit;
  } else {
    const auto levels = static_cast<double>(levels_of(s));
    r.units = units_of(s);
    r.time.latency_s = 2.0 * s.step_latency_s + 2.0 * levels * s.fibre_m * fibre_s_per_m +
                       levels * s.chip_latency_s + s.io_latency_s * (s.regenerated ? levels : 1.0);
    r.energy_j = traffic_bit * s.transceiver_j_per_bit;
  }
  r.steps.push_back({s.collective == "optinc" ? "traversal" : "sum in switches", 1, 0.0,
                     r.time.serial_s + r.time.latency_s, 0.0,
                     std::vector<double>(static_cast<std::size_t>(s.servers), r.payload_bytes)});
  for (const char* way : {"up", "down"})
    for (std::int64_t i = 0; i < s.servers; ++i)
      r.links.push_back({fmt::format("server {} {}", i, way), port, r.payload_bytes, 1, 0.0});
}

/// Agreeing on the scales, before anything can be quantised.
void agree_on_scales(const Scenario& s, IterationResult& r) {
  if (s.scale_bits == 0) return;
  const double n = static_cast<double>(s.servers);
  const double bytes = static_cast<double>(r.parameters) * static_cast<double>(s.scale_bits) /
                       static_cast<double>(s.block) / 8.0;
  r.time.sync_s = static_cast<double>(s.buckets) * 2.0 * std::ceil(std::log2(n)) * s.step_latency_s +
                  2.0 * (n - 1.0) / n * bytes / s.port_bytes_per_s();
  const double begin_s = r.time.sync_s;
  for (StepRecord& step : r.steps) step.start_s += begin_s;
  r.steps.insert(r.steps.begin(),
                 {"scales", 1, 0.0, begin_s, 0.0,
                  std::vector<double>(static_cast<std::size_t>(s.servers), 2.0 * (n - 1.0) / n * bytes)});
}

}  // namespace

double IterationTime::exposed_s(double overlap) const {
  return std::max(0.0, communication_s() - overlap * backward_s);
}

IterationResult simulate_iteration(const Scenario& s) {
  check_scenario(s);
  IterationResult r;
  r.scenario = s;
  const ModelCost model = workload_cost(s.workload, s.context);
  r.parameters = model.parameters();
  r.macs = model.macs();
  r.flop =
      static_cast<double>(r.macs) * s.flop_per_mac * static_cast<double>(s.batch) * (1.0 + s.backward_ratio);
  r.payload_bytes = static_cast<double>(r.parameters) * static_cast<double>(s.bits) / 8.0;
  const double compute_s = s.compute_s >= 0.0 ? s.compute_s : r.flop / s.compute_rate_flop_per_s;
  r.time.forward_s = compute_s / (1.0 + s.backward_ratio);
  r.time.backward_s = compute_s - r.time.forward_s;
  const bool inside = s.collective == "optinc" || s.collective == "in-network";
  if (inside)
    inside_network(s, r);
  else
    between_servers(s, r);
  agree_on_scales(s, r);
  const double communication_s = r.time.communication_s(), n = static_cast<double>(s.servers);
  r.energy_j += static_cast<double>(r.units) * s.unit_power_w * communication_s;
  r.energy_per_bit_j = r.energy_j / (8.0 * n * r.payload_bytes);
  r.exposed_s = r.time.exposed_s(s.overlap);
  r.total_s = compute_s + r.exposed_s;
  r.normalised_data = r.sent_bytes / r.payload_bytes;
  r.algorithm_bytes_per_s = r.payload_bytes / communication_s;
  r.bus_bytes_per_s = r.algorithm_bytes_per_s * 2.0 * (n - 1.0) / n;
  for (LinkUse& link : r.links) link.utilisation = link.bytes / (link.capacity_bytes_per_s * communication_s);
  return r;
}

}  // namespace optinc
