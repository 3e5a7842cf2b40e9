#include <cmath>
#include <string>

#include <fmt/format.h>

#include "experiments/fabrics/interconnect/collectives.hpp"
#include "experiments/fabrics/interconnect/scenario.hpp"
#include "physics/core/check.hpp"
#include "physics/core/names.hpp"

// What no network can be, by subject; the limits at the end keep a mistake from taking hours or all memory.

namespace optinc {
namespace {

void check_pairing(const Scenario& s) {
  const bool electrical = s.network == "switch" || s.network == "fat-tree";
  validate((s.network == "optinc") == (s.collective == "optinc"),
           "{}: network {} with collective {} (optinc goes with optinc alone: a unit averages what passes it). "
           "Set both, or neither.",
           s.name, s.network, s.collective);
  validate(s.collective != "adding-switch" || electrical,
           "{}: adding-switch on {} (switch or fat-tree: electrical switches add). Set network = \"switch\".",
           s.name, s.network);
  check_collective_size(s.collective, s.servers, s.name);
}

void check_computing(const Scenario& s) {
  validate(s.compute_s >= 0.0 || s.compute_s == -1.0,
           "{}: compute_s = {} (0 or more, or -1). -1 counts it from workload, batch and rate.", s.name,
           s.compute_s);
  validate(s.context == 0 || s.workload.starts_with("llama"),
           "{}: context = {} of {} (only llama looks back). Leave it out.", s.name, s.context, s.workload);
  validate(!reads_key(s, "context") || s.context <= s.batch,
           "{}: context = {} of batch = {} (a batch holds one context or more). Raise batch to {}.", s.name,
           s.context, s.batch, s.context);
}

void check_fat_tree(const Scenario& s) {
  if (s.network != "fat-tree") return;
  validate(!s.routing.empty() || !reads_key(s, "routing"),
           "{}: a fat-tree without routing ({}: the result depends on it). Set routing to one of these.",
           s.name, join_names(routing_names()));
  validate(s.radix % 2 == 0, "{}: radix = {} (even, 2..64, or 0). Half of the ports lead up.", s.name, s.radix);
  const std::int64_t hosts = s.radix * s.radix * s.radix / 4;
  validate(s.radix == 0 || s.servers <= hosts,
           "{}: {} servers on a fat-tree of radix {} (at most {}). Set radix = {}, or 0.", s.name, s.servers,
           s.radix, hosts, fitting_radix(static_cast<int>(s.servers)));
  validate(s.servers <= 16384,
           "{}: {} servers on a fat-tree (at most 16384, for time and memory). Lower servers.", s.name,
           s.servers);
  const std::int64_t flows = reads_key(s, "sub_flows") ? s.servers * s.sub_flows : s.servers;
  validate(
      flows <= 1 << 20,
      "{}: {} servers of {} sub_flows (at most {} flows, for time and memory). Lower servers or sub_flows.",
      s.name, s.servers, s.sub_flows, 1 << 20);
  validate(s.collective != "sharded-parameter-server" || s.servers * flows <= 1 << 24,
           "{}: sharded-parameter-server of {} servers and {} sub_flows (at most {} flows in all phases, for "
           "time). Lower servers or sub_flows.",
           s.name, s.servers, s.sub_flows, 1 << 24);
}

void check_circuits(const Scenario& s) {
  validate(s.reconfiguration_s >= 0.0 || s.reconfiguration_s == -1.0,
           "{}: reconfiguration_s = {} (0 or more, or -1). -1 takes the network's own.", s.name,
           s.reconfiguration_s);
  const std::int64_t taken = s.servers * s.transceivers;
  validate(!reads_key(s, "ports") || s.ports == 0 || taken <= s.ports,
           "{}: {} servers of {} transceivers at a switch of {} ports (at most {}). Raise ports to {}.", s.name,
           s.servers, s.transceivers, s.ports, s.ports, taken);
  if (s.network == "sip-ocs") {
    const int degree = circuit_degree(s.collective, static_cast<int>(s.servers));
    validate(degree <= s.transceivers,
             "{}: {} of {} servers on sip-ocs with {} transceivers ({} circuits per server, all set up in "
             "advance). Set transceivers = {}, or collective = \"ring\".",
             s.name, s.collective, s.servers, s.transceivers, degree, degree);
  }
}

/// N = K^l servers, and no unit without a group.
void check_groups(const Scenario& s) {
  std::int64_t below = s.fan_in;
  while (below * s.fan_in <= s.servers) below *= s.fan_in;
  const std::string fitting =
      s.servers < below ? fmt::format("{}", below) : fmt::format("{} or {}", below, below * s.fan_in);
  validate(s.servers == below,
           "{}: {} servers in circuit-switched groups of {} (a power of fan_in, so that every round has whole "
           "groups). Set servers = {}, or arrangement = \"tree\".",
           s.name, s.servers, s.fan_in, fitting);
  validate(s.units <= s.servers / s.fan_in,
           "{}: units = {} for {} servers in groups of {} (at most a unit for each of {} groups). Set units = "
           "{}, or 0.",
           s.name, s.units, s.servers, s.fan_in, s.servers / s.fan_in, s.servers / s.fan_in);
}

void check_units(const Scenario& s) {
  if (s.network != "optinc") return;
  if (s.circuit_switched()) return check_groups(s);
  const double ports = std::pow(static_cast<double>(s.fan_in), static_cast<double>(levels_of(s)));
  validate(static_cast<double>(s.servers) <= ports,
           "{}: {} servers at {} level{} of {} each (at most {}). Add levels, or raise fan_in.", s.name,
           s.servers, s.levels, s.levels == 1 ? "" : "s", s.fan_in, ports);
}

void check_size(const Scenario& s) {
  const bool sharded = s.collective == "sharded-parameter-server", ring = s.network == "sip-ring";
  validate(!ring || s.servers <= 4096,
           "{}: {} servers along a SiP-Ring (at most 4096, for time and memory). Lower servers.", s.name,
           s.servers);
  // phases are kept in memory: N of them for one that is sharded, of N transfers each
  validate(!sharded || s.servers <= 2048,
           "{}: sharded-parameter-server of {} servers (at most 2048, for time and memory). Lower servers.",
           s.name, s.servers);
  validate(
      !sharded || !ring || s.servers <= 512,
      "{}: sharded-parameter-server of {} servers along a SiP-Ring (at most 512, for time). Lower servers.",
      s.name, s.servers);
  validate(s.collective != "parameter-server" || s.network != "oddl" || s.servers <= 4096,
           "{}: parameter-server of {} servers on oddl (at most 4096, for time). Lower servers.", s.name,
           s.servers);
}

}  // namespace

void check_scenario(const Scenario& s) {
  check_pairing(s);
  check_computing(s);
  check_fat_tree(s);
  check_circuits(s);
  check_units(s);
  check_size(s);
}

}  // namespace optinc
