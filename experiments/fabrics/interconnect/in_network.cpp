#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "experiments/fabrics/interconnect/communication.hpp"
#include "physics/devices/waveguide.hpp"

namespace optinc {
namespace {

/// A collective in which every server sends its whole payload once, in one step.
Communication one_step(const Scenario& s, std::string name, double bytes, double serial_s, double latency_s) {
  Communication c;
  c.serial_s = serial_s;
  c.latency_s = latency_s;
  c.ports_s = bytes / s.port_bytes_per_s();
  c.mean_links_s = serial_s;
  c.server_bytes.assign(static_cast<std::size_t>(s.servers), bytes);
  c.steps.push_back({std::move(name), 1, 0.0, serial_s + latency_s, 0.0, 0, c.server_bytes});
  return c;
}

void add_both_ways(Communication& c, const std::string& name, double bytes_per_s, double bytes) {
  for (const char* way : {"up", "down"})
    c.links.push_back({fmt::format("{} {}", name, way), bytes_per_s, bytes, 1, 0.0});
}

/// One turn of every server in each round, and the wait for all other turns.
void take_turns(Communication& c, const UnitTurns& t, double set_s) {
  const double turn_s = c.whole_s(), turns = static_cast<double>(t.turns);
  std::vector<double> mean = c.server_bytes;  // of a turn
  for (double& bytes : mean) bytes /= turns;
  c.repeat(t.rounds, "");
  for (double* wait : {&c.serial_s, &c.mean_links_s, &c.latency_s}) *wait *= turns;
  c.circuits_s = static_cast<double>(t.sets) * set_s;
  c.steps.clear();
  for (std::int64_t p = 0; p < t.rounds; ++p) {
    const double start_s = p == 0 ? 0.0 : c.steps.back().start_s + c.steps.back().whole_s();
    c.steps.push_back(
        {fmt::format("round {}", p + 1), t.turns, start_s, turn_s, set_s, t.sets / t.rounds, mean});
  }
}

/// Levels of switches that the servers of a fat-tree need.
int levels_that_span(const Scenario& s, const std::vector<int>& places) {
  const int half = static_cast<int>(s.radix) / 2;
  const auto all_within = [&](int hosts) {
    return std::all_of(places.begin(), places.end(),
                       [&](int place) { return place / hosts == places[0] / hosts; });
  };
  if (all_within(half)) return 1;
  return all_within(half * half) ? 2 : 3;
}

}  // namespace

Communication in_switches(const Scenario& s, double bytes) {
  return in_switches(s, server_places(s), 0, bytes);
}

Communication in_switches(const Scenario& s, const std::vector<int>& places, int core, double bytes) {
  const bool tree = s.network == "fat-tree";
  const int levels = tree ? levels_that_span(s, places) : 1, half = static_cast<int>(s.radix) / 2;
  const double port = s.port_bytes_per_s(), above = port / s.oversubscription;
  const double latency_s = 2.0 * s.step_latency_s + 2.0 * levels * (s.hop_latency_s + s.adding_latency_s);
  Communication c =
      one_step(s, "in-network aggregation", bytes, bytes / (levels > 1 ? above : port), latency_s);
  std::set<int> edges, pods;
  for (const int place : places) {
    add_both_ways(c, fmt::format("{} {}", tree ? "host" : "server", place), port, bytes);
    if (tree) edges.insert(place / half);
    if (tree) pods.insert(place / half / half);
  }
  if (levels > 1)
    for (const int edge : edges)
      add_both_ways(c, fmt::format("edge {} port {}", edge, core / half), above, bytes);
  if (levels > 2)
    for (const int pod : pods) add_both_ways(c, fmt::format("pod {} core {}", pod, core), above, bytes);
  c.switched_bytes = bytes * (static_cast<double>(c.links.size()) - static_cast<double>(s.servers));
  return c;
}

UnitTurns unit_turns(const Scenario& s) {
  if (!s.circuit_switched()) return {};
  const std::int64_t rounds = levels_of(s), groups = s.servers / s.fan_in, units = units_of(s),
                     turns = (groups + units - 1) / units, all = rounds * turns;
  return {rounds, turns, all == 1 ? 0 : all, static_cast<double>(groups) / static_cast<double>(units * turns)};
}

Communication through_light(const Scenario& s, double bytes) {
  const auto levels = s.circuit_switched() ? 1.0 : static_cast<double>(levels_of(s));
  const double port = s.port_bytes_per_s();
  const double latency_s = 2.0 * s.step_latency_s + 2.0 * levels * fibre_delay_s({s.fibre_m}) +
                           levels * s.chip_latency_s + s.io_latency_s * (s.regenerated ? levels : 1.0);
  Communication c = one_step(s, "traversal", bytes, bytes / port, latency_s);
  for (std::int64_t i = 0; i < s.servers; ++i) add_both_ways(c, fmt::format("server {}", i), port, bytes);
  if (s.circuit_switched()) take_turns(c, unit_turns(s), s.reconfiguration_s);
  return c;
}

}  // namespace optinc
