#include "experiments/fabrics/interconnect/report.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

#include <fmt/format.h>

#include "experiments/base/text_table.hpp"
#include "experiments/fabrics/interconnect/key_columns.hpp"

namespace optinc {
namespace {

using Json = nlohmann::ordered_json;

using Iteration = TableColumn<IterationResult>;

std::int64_t steps_in(const IterationResult& r) {
  std::int64_t steps = 0;
  for (const StepRecord& s : r.steps) steps += s.repeats;
  return steps;
}

const std::vector<Iteration> quantities = {
    {"parameters", "1", "parameters of the model", &IterationResult::parameters},
    {"macs", "1", "multiply-adds of the forward pass, per sample", &IterationResult::macs},
    {"flop", "1", "operations per server and iteration", &IterationResult::flop},
    {"payload_bytes", "byte", "gradient size per server, without scales", &IterationResult::payload_bytes, "MB",
     1e-6},
    {"forward_s", "s", "forward pass", [](const auto& r) { return r.time.forward_s; }},
    {"backward_s", "s", "backward pass", [](const auto& r) { return r.time.backward_s; }},
    {"serial_s", "s", "communication: transfer of bytes at the rates they get",
     [](const auto& r) { return r.time.serial_s; }, "serial ms", 1e3},
    {"latency_s", "s", "communication: steps, hops, light in fibres and chips",
     [](const auto& r) { return r.time.latency_s; }, "latency ms", 1e3},
    {"circuits_s", "s", "communication: setup of circuits, including the share of setup_s",
     [](const auto& r) { return r.time.circuits_s; }, "circuits ms", 1e3},
    {"sync_s", "s", "communication: agreement on block scales", [](const auto& r) { return r.time.sync_s; },
     "scales ms", 1e3},
    {"communication_s", "s", "communication: sum of serial, latency, circuits and scales",
     [](const auto& r) { return r.time.communication_s(); }},
    {"exposed_s", "s", "communication that computation does not hide", &IterationResult::exposed_s,
     "exposed ms", 1e3},
    {"total_s", "s", "iteration: computation and exposed communication", &IterationResult::total_s, "total ms",
     1e3},
    {"sent_bytes", "byte", "bytes sent by the busiest server, including scales", &IterationResult::sent_bytes},
    {"normalised_data", "1", "sent_bytes over payload_bytes", &IterationResult::normalised_data, "data"},
    {"slowdown", "1", "serial time over that limited by ports alone", &IterationResult::slowdown, "slowdown"},
    {"mean_slowdown", "1", "slowdown of the mean flow, which waits for its own links alone",
     &IterationResult::mean_slowdown, "mean"},
    {"algorithm_bytes_per_s", "byte/s", "gradient size over communication time",
     &IterationResult::algorithm_bytes_per_s, "algbw GB/s", 1e-9},
    {"bus_bytes_per_s", "byte/s", "algorithm_bytes_per_s times 2 (N-1)/N; NaN if the network adds",
     &IterationResult::bus_bytes_per_s, "busbw GB/s", 1e-9},
    {"turns", "1", "turns of a round in which groups share OptINC units; 1 elsewhere",
     [](const auto& r) { return unit_turns(r.scenario).turns; }, "turns"},
    {"circuits_set", "1", "times that circuits between servers and OptINC units are set",
     [](const auto& r) { return unit_turns(r.scenario).sets; }, "circuits set"},
    {"chips", "1",
     "chips of all units, in each as many in parallel as a server's port needs; NaN here and below: not known, "
     "because the scenario names no design",
     [](const auto& r) { return r.energy.chips; }, "chips"},
    {"chip_bit_per_s", "bit/s", "bit rate that one chip carries for every server",
     [](const auto& r) { return r.energy.chip_bit_per_s; }, "chip Gb/s", 1e-9},
    {"chip_static_w", "W", "static power of one chip, independent of its symbols",
     [](const auto& r) { return r.energy.chip_static_w; }, "static W"},
    {"chip_symbol_w", "W", "power of one chip's drivers and converters while symbols are sent",
     [](const auto& r) { return r.energy.chip_symbol_w; }, "symbol W"},
    {"symbols_s", "s", "time in which chips send symbols", [](const auto& r) { return r.energy.symbols_s; },
     "symbol ms", 1e3},
    {"transceivers_w", "W", "power of all transceivers of electrical and circuit networks",
     [](const auto& r) { return r.energy.transceivers_w; }, "transceivers W"},
    {"switched_bits", "bit", "bits through electrical switches, counted at every switch",
     [](const auto& r) { return r.energy.switched_bits; }, "switched Gb", 1e-9},
    {"circuit_ports", "1", "ports of the switch of circuits between servers and OptINC units",
     [](const auto& r) { return r.energy.circuit_ports; }, "ports"},
    {"static_j", "J", "energy: chips x chip_static_w x total_s",
     [](const auto& r) { return r.energy.static_j; }, "static"},
    {"symbol_j", "J", "energy: chips x chip_symbol_w x symbols_s",
     [](const auto& r) { return r.energy.symbol_j; }, "symbols"},
    {"transceivers_j", "J", "energy: transceivers_w x total_s",
     [](const auto& r) { return r.energy.transceivers_j; }, "transceivers"},
    {"switches_j", "J", "energy: switched_bits x switch_j_per_bit",
     [](const auto& r) { return r.energy.switches_j; }, "switches"},
    {"circuits_j", "J", "energy: circuit_ports x circuit_switch_w_per_port x total_s",
     [](const auto& r) { return r.energy.circuits_j; }, "circuits"},
    {"energy_j", "J", "energy of the network per iteration, without the servers' computation",
     [](const auto& r) { return r.energy.total_j(); }, "total"},
    {"steps", "1", "sequential communication steps; a bucket of scales is one", steps_in},
    {"rate_reachable", "1",
     "0 if OptINC units are not shown to carry the symbol rate of their design, or have no design",
     [](const auto& r) { return r.energy.rate_reachable; }},
    {"normalised", "1", "iteration time over that of the reference", &IterationResult::normalised},
};

const std::vector<TableColumn<SensitivityPoint>> sensitivity_columns = {
    {"name", "1", "assumption that is varied", &SensitivityPoint::name},
    {"subject", "1", "scenario that is varied", &SensitivityPoint::subject},
    {"reference", "1", "scenario that the subject is divided by", &SensitivityPoint::reference},
    {"key", "1", "key that is varied", &SensitivityPoint::key},
    {"value_text", "1", "value of the key", &SensitivityPoint::value_text},
    {"value", "1", "value of the key in its SI unit, NaN for a name", &SensitivityPoint::value},
    {"ratio", "1", "iteration time of subject over that of reference", &SensitivityPoint::ratio},
    {"nominal", "1", "1 for the nominal value", &SensitivityPoint::nominal},
};

struct LinkOfScenario {
  std::size_t scenario;
  const LinkUse* use;
};

const std::vector<TableColumn<LinkOfScenario>> link_columns = {
    {"scenario_of", "1", "number of the scenario that the link belongs to", &LinkOfScenario::scenario},
    {"name", "1", "place and direction of the link", [](const auto& l) { return l.use->name; }},
    {"capacity_bytes_per_s", "byte/s", "capacity of the link",
     [](const auto& l) { return l.use->capacity_bytes_per_s; }},
    {"bytes", "byte", "bytes that crossed the link in an iteration",
     [](const auto& l) { return l.use->bytes; }},
    {"utilisation", "1", "bytes over what the link could have carried in the same time",
     [](const auto& l) { return l.use->utilisation; }},
    {"peak_flows", "1", "largest number of flows at the start of a step",
     [](const auto& l) { return l.use->peak_flows; }},
};

std::string cell(const Iteration& q, const IterationResult& r, const char* missing) {
  const double x = q.number(r);
  if (std::isnan(x)) return missing;
  if (x == 0.0) return "-";
  if (std::abs(x) >= 1e4) return fmt::format("{:.0f}", x);
  return fmt::format("{:.4g}", x);
}

std::string ratio_cell(double x) { return std::isnan(x) ? "-" : fmt::format("{:.3f}", x); }

/// A table with a row for each scenario; its name and servers come first.
struct ScenarioTable {
  std::vector<const IterationResult*> results;
  std::vector<TextColumn> columns = {{"scenario", Align::left}, {"N"}};
  std::vector<std::vector<std::string>> rows = {};

  /// Of the scenarios that `takes` takes.
  explicit ScenarioTable(
      const InterconnectResults& all,
      bool (*takes)(const IterationResult&) = [](const IterationResult&) { return true; }) {
    for (const IterationResult& r : all.results) {
      if (!takes(r)) continue;
      results.push_back(&r);
      rows.push_back({r.scenario.name, std::to_string(r.scenario.servers)});
    }
  }
  template <class Cell>
  void add_column(TextColumn column, Cell&& of) {
    columns.push_back(std::move(column));
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].push_back(of(*results[i]));
  }
  /// Columns of quantities; `missing` stands for a number there is none of.
  void add_columns(std::initializer_list<std::string_view> names, const char* missing = "-") {
    for (const std::string_view name : names) {
      const Iteration& q = *std::find_if(quantities.begin(), quantities.end(),
                                         [&](const Iteration& column) { return column.name == name; });
      add_column({q.heading}, [&](const IterationResult& r) { return cell(q, r, missing); });
    }
  }
  std::string text(std::string_view heading, std::string_view note) const {
    return fmt::format("\n{}\n{}{}", heading, text_table(columns, rows, 2), hanging_text("", note, 2));
  }
};

std::string quantities_text(std::string_view heading, const InterconnectResults& all,
                            std::initializer_list<std::string_view> names, std::string_view note) {
  ScenarioTable table(all);
  table.add_columns(names);
  return table.text(heading, note);
}

std::string scenarios_text(const InterconnectResults& all) {
  const std::vector<TextColumn> columns = {{"scenario", Align::left},
                                           {"N"},
                                           {"network", Align::left},
                                           {"collective", Align::left},
                                           {"compute ms"},
                                           {"total ms"},
                                           {"ratio"}};
  std::vector<std::vector<std::string>> rows;
  for (const IterationResult& r : all.results)
    rows.push_back({r.scenario.name, std::to_string(r.scenario.servers), r.scenario.network,
                    r.scenario.collective, fmt::format("{:.4g}", 1e3 * r.time.compute_s()),
                    fmt::format("{:.4g}", 1e3 * r.total_s), ratio_cell(r.normalised)});
  return "\nIterations\n" + text_table(columns, rows, 2) +
         hanging_text("",
                      "total: computation and the communication that it does not hide; ratio: total over that "
                      "of the reference named below.",
                      2);
}

/// Reference and note of every scenario that has one, once whatever its numbers of servers.
std::string remarks_text(const InterconnectResults& all) {
  std::string text, last;
  bool calibrated = false, optinc = false;
  for (const IterationResult& r : all.results) {
    const Scenario& s = r.scenario;
    optinc |= s.network == "optinc";
    calibrated |= s.calibrated;
    std::string remark = s.calibrated ? "CALIBRATED" : "";
    if (!s.note.empty()) remark += (remark.empty() ? "" : ": ") + s.note;
    if (s.network == "optinc" && s.bits <= 16 && s.scale_bits == 0)
      remark +=
          (remark.empty() ? "" : "; ") + std::string("scale_bits = 0: codes without scales or side network");
    if (!s.reference.empty()) remark += (remark.empty() ? "relative to " : "; relative to ") + s.reference;
    if (remark.empty() || s.name == last) continue;
    text += hanging_text("  " + s.name, remark, 37);
    last = s.name;
  }
  if (!text.empty()) text = "\nRemarks\n" + text;
  if (calibrated)
    text += hanging_text("  CALIBRATED:",
                         "parameters were chosen to reproduce a published ratio. Such a row shows what would "
                         "explain the ratio, and predicts nothing.",
                         37);
  if (optinc)
    text += hanging_text("  OptINC units:",
                         "assumed to carry the full rate of a server's port. A row is conditional on that, "
                         "unless its symbol rate is marked as reachable under Energy.",
                         37);
  return text;
}

std::string units_cell(const IterationResult& r) { return std::to_string(r.energy.units); }

/// What circuit-switched units do, and the switch.
std::string circuits_text(const InterconnectResults& all) {
  ScenarioTable table(all, [](const IterationResult& r) { return r.scenario.circuit_switched(); });
  if (table.rows.empty()) return "";
  table.add_column({"units"}, units_cell);
  table.add_column({"rounds"}, [](const IterationResult& r) { return std::to_string(r.scenario.levels); });
  table.add_columns({"turns", "circuits_set", "circuit_ports", "circuits_j"}, "n/k");
  return table.text(
      "Circuit-switched OptINC units",
      "In each round every group of fan_in servers averages once, in so many turns at the units. "
      "ports: of the switch of circuits, a fibre in and one out, one for each lane of each "
      "server's and each unit's chips; circuits = ports x circuit_switch_w_per_port x total ms, J "
      "in an iteration, part of the total above.");
}

/// Chips of the scenarios with a design.
std::string units_text(const InterconnectResults& all) {
  ScenarioTable table(
      all, [](const IterationResult& r) { return r.scenario.network == "optinc" && r.scenario.unit; });
  if (table.rows.empty()) return "";
  table.add_column({"design", Align::left}, [](const IterationResult& r) { return r.scenario.design; });
  table.add_column({"units"}, units_cell);
  table.add_columns({"chips", "chip_bit_per_s", "chip_static_w", "chip_symbol_w"});
  return table.text("OptINC units, power of one chip",
                    "chips: units x parallel chips in each (line rate of a server's port over chip Gb/s, "
                    "rounded up); chip Gb/s: bits per code x symbol rate over slots per word.");
}

std::string energy_text(const InterconnectResults& all) {
  ScenarioTable table(all), terms(all);
  terms.add_columns({"total_s", "chips", "symbols_s", "transceivers_w", "switched_bits"}, "n/k");
  table.add_columns({"static_j", "symbol_j", "transceivers_j", "switches_j", "energy_j"}, "n/k");
  table.add_column({"rate"}, [](const IterationResult& r) {
    if (r.scenario.network != "optinc") return "-";
    return !r.scenario.unit ? "n/k" : (r.energy.rate_reachable ? "yes" : "NO");
  });
  return table.text("Energy of the network in an iteration, J",
                    "static: heaters, lasers, receivers and control of OptINC chips; transceivers: those of "
                    "electrical and circuit networks. Both draw power for the whole iteration. symbols: "
                    "drivers and converters of OptINC chips while they send; switches: energy per bit, without "
                    "idle power. The servers' computation is not included. rate: whether the design's symbol "
                    "rate is below the upper bound of its devices; NO: it exceeds the bound, and the energy is "
                    "conditional on it. n/k: not known, because the scenario names no design.") +
         terms.text(
             "Terms of the energy",
             "static = chips x static W x total ms; symbols = chips x symbol W x symbol ms; transceivers = "
             "transceivers W x total ms; switches = switched Gb x switch_j_per_bit.") +
         units_text(all) + circuits_text(all);
}

/// A table for each pair of scenarios, a row a value of an assumption.
std::string sensitivity_text(const std::vector<SensitivityPoint>& points) {
  const std::vector<TextColumn> columns = {
      {"assumption", Align::left}, {"key", Align::left}, {"value"}, {"ratio"}, {"", Align::left}};
  std::vector<std::pair<std::string, std::vector<std::vector<std::string>>>> pairs;
  for (const SensitivityPoint& p : points) {
    const std::string pair = fmt::format("{} over {}", p.subject, p.reference);
    auto found =
        std::find_if(pairs.begin(), pairs.end(), [&](const auto& known) { return known.first == pair; });
    if (found == pairs.end()) found = pairs.insert(found, {pair, {}});
    found->second.push_back({p.name, p.key, p.value_text, ratio_cell(p.ratio), p.nominal ? "as listed" : ""});
  }
  std::string text;
  for (const auto& [pair, rows] : pairs)
    text += fmt::format("\nSensitivity of the iteration of {}\n{}", pair, text_table(columns, rows, 2));
  return text;
}

}  // namespace

std::string interconnect_text(const InterconnectResults& all) {
  return hanging_text("Interconnects:", all.title, 15) + scenarios_text(all) + remarks_text(all) +
         quantities_text("Communication time", all,
                         {"serial_s", "latency_s", "circuits_s", "sync_s", "exposed_s"},
                         "serial: transfer of bytes at the rates they get; exposed: the part of the sum that "
                         "computation does not hide.") +
         quantities_text("Bytes and rates", all,
                         {"payload_bytes", "normalised_data", "slowdown", "mean_slowdown",
                          "algorithm_bytes_per_s", "bus_bytes_per_s"},
                         "data: bytes that the busiest server sends over those of its gradient; slowdown: "
                         "serial time over that limited by ports alone; mean: the mean over flows.") +
         energy_text(all) + sensitivity_text(all.sensitivity);
}

Json interconnect_json(const InterconnectResults& all) {
  Json rows = Json::array(), points = Json::array();
  const auto keys = key_columns<Scenario>();
  for (const IterationResult& r : all.results) {
    rows.push_back(json_row(keys, r.scenario));
    rows.back().update(json_row(quantities, r));
  }
  for (const SensitivityPoint& p : all.sensitivity) points.push_back(json_row(sensitivity_columns, p));
  const Json open = {{"energy_j", "null for OptINC units if the scenario names no design"}};
  return {{"title", all.title}, {"not_known", open}, {"scenarios", rows}, {"sensitivity", points}};
}

void write_interconnect(const Group& root, const InterconnectResults& all) {
  const Group scenarios = root.group("interconnect");
  scenarios.counting_dimension("scenario", all.results.size(), "scenario, in the order of the list");
  write_columns(scenarios, "scenario", key_columns<Scenario>(), all.results.size(),
                [&](std::size_t i) -> const Scenario& { return all.results[i].scenario; });
  write_columns(scenarios, "scenario", quantities, all.results);
  if (!all.sensitivity.empty()) {
    const Group points = root.group("sensitivity");
    points.counting_dimension("point", all.sensitivity.size(), "value of an assumption");
    write_columns(points, "point", sensitivity_columns, all.sensitivity);
  }
  std::vector<LinkOfScenario> links;
  for (std::size_t i = 0; i < all.results.size(); ++i)
    for (const LinkUse& link : all.results[i].links) links.push_back({i, &link});
  const Group group = root.group("links");
  group.counting_dimension("link", links.size(), "directed link of a scenario");
  write_columns(group, "link", link_columns, links);
}

}  // namespace optinc
