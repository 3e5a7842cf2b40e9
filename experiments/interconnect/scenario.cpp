#include "experiments/interconnect/scenario.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "physics/core/check.hpp"
#include "physics/core/names.hpp"

namespace optinc {

std::vector<FieldEntry> scenario_fields(const Scenario& scenario) {
  std::vector<FieldEntry> fields;
  visit_fields(scenario, [&](const FieldInfo& info, const auto& member) {
    fields.push_back({"", info, to_field_value(member)});
  });
  return fields;
}

void set_field(Scenario& scenario, std::string_view key, const FieldValue& value, std::string_view where) {
  bool found = false;
  visit_fields(scenario, [&](const FieldInfo& info, auto& member) {
    if (info.key != key) return;
    found = true;
    // strings that may be empty are no field of a study: check_field would refuse them
    if (!std::holds_alternative<std::string>(value) || !info.names.empty()) check_field(where, info, value);
    from_field_value(member, value);
  });
  validate(found, "{}: no key \"{}\" (of a scenario). See optinc interconnect --keys.", where, key);
}

std::int64_t levels_of(const Scenario& s) {
  if (s.levels > 0) return s.levels;
  std::int64_t levels = 1;
  for (std::int64_t ports = s.fan_in; ports < s.servers; ports *= s.fan_in) ++levels;
  return levels;
}

void check_scenario(const Scenario& s) {
  const bool electrical = s.network == "switch" || s.network == "fat-tree";
  const bool optinc = s.network == "optinc";
  validate(optinc == (s.collective == "optinc"),
           "{}: network {} with collective {} (optinc goes with optinc alone: a unit averages what passes it). "
           "Set both, or neither.",
           s.name, s.network, s.collective);
  validate(s.collective != "in-network" || electrical,
           "{}: in-network on {} (switch or fat-tree: electrical switches add). Set network = \"switch\".",
           s.name, s.network);
  if (s.collective == "halving-doubling")
    validate(std::has_single_bit(static_cast<std::uint64_t>(s.servers)),
             "{}: halving-doubling of {} servers (a power of two). Take {}, or the ring.", s.name, s.servers,
             std::bit_floor(static_cast<std::uint64_t>(s.servers)));
  validate(s.collective != "double-tree" || s.servers % 2 == 0,
           "{}: double-tree of {} servers (an even number). Take {}, or tree.", s.name, s.servers,
           s.servers - 1);
  if (s.network == "fat-tree" && s.radix != 0) {
    validate(s.radix % 2 == 0 && s.radix >= 2,
             "{}: radix = {} (even, 2..128, or 0). Half of the ports lead up.", s.name, s.radix);
    const std::int64_t hosts = s.radix * s.radix * s.radix / 4;
    validate(s.servers <= hosts, "{}: {} servers on a fat-tree of radix {} (at most {}). Set radix = {}, or 0.",
             s.name, s.servers, s.radix, hosts, fitting_radix(static_cast<int>(s.servers)));
  }
  if (s.network == "fat-tree")
    validate(s.servers <= 16384,
             "{}: {} servers on a fat-tree (at most 16384, for time and memory). Take fewer.", s.name,
             s.servers);
  if (optinc) {
    const double ports = std::pow(static_cast<double>(s.fan_in), static_cast<double>(levels_of(s)));
    validate(static_cast<double>(s.servers) <= ports,
             "{}: {} servers at {} level{} of {} each (at most {}). Add levels, or raise fan_in.", s.name,
             s.servers, s.levels, s.levels == 1 ? "" : "s", s.fan_in, ports);
  }
  const bool words = s.workload.starts_with("llama");
  validate(s.context == 0 || words, "{}: context = {} of {} (only llama looks back). Leave it out.", s.name,
           s.context, s.workload);
  validate(s.network != "sip-ring" || s.servers <= 4096,
           "{}: {} servers along a SiP-Ring (at most 4096, for time and memory). Take fewer.", s.name,
           s.servers);
  // phases are kept in memory: N of them for one that is sharded, of N transfers each
  validate(s.collective != "sharded-parameter-server" || s.servers <= 2048,
           "{}: sharded-parameter-server of {} servers (at most 2048, for time and memory). Take fewer.",
           s.name, s.servers);
}

}  // namespace optinc
