#include "experiments/fabrics/interconnect/report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <utility>

#include <fmt/format.h>

#include "experiments/base/text_table.hpp"
#include "experiments/files/hdf5/table_column.hpp"

namespace optinc {
namespace {

using Json = nlohmann::ordered_json;

using Iteration = TableColumn<IterationResult>;

double steps_in(const IterationResult& r) {
  std::int64_t steps = 0;
  for (const StepRecord& s : r.steps) steps += s.repeats;
  return static_cast<double>(steps);
}

constexpr std::array<Iteration, 36> quantities = {{
    {"parameters", "1", "", 1, "parameters of the model",
     [](const IterationResult& r) { return static_cast<double>(r.parameters); }, true},
    {"macs", "1", "", 1, "multiply-adds of the forward pass, per sample",
     [](const IterationResult& r) { return static_cast<double>(r.macs); }, true},
    {"flop", "1", "", 1, "operations per server and iteration",
     [](const IterationResult& r) { return r.flop; }},
    {"payload_bytes", "byte", "MB", 1e-6, "gradient size per server, without scales",
     [](const IterationResult& r) { return r.payload_bytes; }},
    {"forward_s", "s", "", 1, "forward pass", [](const IterationResult& r) { return r.time.forward_s; }},
    {"backward_s", "s", "", 1, "backward pass", [](const IterationResult& r) { return r.time.backward_s; }},
    {"serial_s", "s", "serial ms", 1e3, "communication: transfer of bytes at the rates they get",
     [](const IterationResult& r) { return r.time.serial_s; }},
    {"latency_s", "s", "latency ms", 1e3, "communication: steps, hops, light in fibres and chips",
     [](const IterationResult& r) { return r.time.latency_s; }},
    {"circuits_s", "s", "circuits ms", 1e3, "communication: setup of circuits, including the share of setup_s",
     [](const IterationResult& r) { return r.time.circuits_s; }},
    {"sync_s", "s", "scales ms", 1e3, "communication: agreement on block scales",
     [](const IterationResult& r) { return r.time.sync_s; }},
    {"communication_s", "s", "", 1, "communication: sum of serial, latency, circuits and scales",
     [](const IterationResult& r) { return r.time.communication_s(); }},
    {"exposed_s", "s", "exposed ms", 1e3, "communication that computation does not hide",
     [](const IterationResult& r) { return r.exposed_s; }},
    {"total_s", "s", "total ms", 1e3, "iteration: computation and exposed communication",
     [](const IterationResult& r) { return r.total_s; }},
    {"sent_bytes", "byte", "", 1, "bytes sent by the busiest server, including scales",
     [](const IterationResult& r) { return r.sent_bytes; }},
    {"normalised_data", "1", "data", 1, "sent_bytes over payload_bytes",
     [](const IterationResult& r) { return r.normalised_data; }},
    {"slowdown", "1", "slowdown", 1, "serial time over that limited by ports alone",
     [](const IterationResult& r) { return r.slowdown; }},
    {"mean_slowdown", "1", "mean", 1, "slowdown of the mean flow, which waits for its own links alone",
     [](const IterationResult& r) { return r.mean_slowdown; }},
    {"algorithm_bytes_per_s", "byte/s", "algbw GB/s", 1e-9, "gradient size over communication time",
     [](const IterationResult& r) { return r.algorithm_bytes_per_s; }},
    {"bus_bytes_per_s", "byte/s", "busbw GB/s", 1e-9,
     "algorithm_bytes_per_s times 2 (N-1)/N; NaN if the network adds",
     [](const IterationResult& r) { return r.bus_bytes_per_s; }},
    {"turns", "1", "turns", 1, "turns of a round in which groups share OptINC units; 1 elsewhere",
     [](const IterationResult& r) { return static_cast<double>(unit_turns(r.scenario).turns); }, true},
    {"circuits_set", "1", "circuits set", 1, "times that circuits between servers and OptINC units are set",
     [](const IterationResult& r) { return static_cast<double>(unit_turns(r.scenario).sets); }, true},
    {"chips", "1", "chips", 1,
     "chips of all units, in each as many in parallel as a server's port needs; NaN here and below: not known, "
     "because the scenario names no design",
     [](const IterationResult& r) { return r.energy.chips; }},
    {"chip_bit_per_s", "bit/s", "chip Gb/s", 1e-9, "bit rate that one chip carries for every server",
     [](const IterationResult& r) { return r.energy.chip_bit_per_s; }},
    {"chip_static_w", "W", "static W", 1, "static power of one chip, independent of its symbols",
     [](const IterationResult& r) { return r.energy.chip_static_w; }},
    {"chip_symbol_w", "W", "symbol W", 1, "power of one chip's drivers and converters while symbols are sent",
     [](const IterationResult& r) { return r.energy.chip_symbol_w; }},
    {"symbols_s", "s", "symbol ms", 1e3, "time in which chips send symbols",
     [](const IterationResult& r) { return r.energy.symbols_s; }},
    {"transceivers_w", "W", "transceivers W", 1, "power of all transceivers of electrical and circuit networks",
     [](const IterationResult& r) { return r.energy.transceivers_w; }},
    {"switched_bits", "bit", "switched Gb", 1e-9, "bits through electrical switches, counted at every switch",
     [](const IterationResult& r) { return r.energy.switched_bits; }},
    {"circuit_ports", "1", "ports", 1, "ports of the switch of circuits between servers and OptINC units",
     [](const IterationResult& r) { return r.energy.circuit_ports; }},
    {"static_j", "J", "static", 1, "energy: chips x chip_static_w x total_s",
     [](const IterationResult& r) { return r.energy.static_j; }},
    {"symbol_j", "J", "symbols", 1, "energy: chips x chip_symbol_w x symbols_s",
     [](const IterationResult& r) { return r.energy.symbol_j; }},
    {"transceivers_j", "J", "transceivers", 1, "energy: transceivers_w x total_s",
     [](const IterationResult& r) { return r.energy.transceivers_j; }},
    {"switches_j", "J", "switches", 1, "energy: switched_bits x switch_j_per_bit",
     [](const IterationResult& r) { return r.energy.switches_j; }},
    {"circuits_j", "J", "circuits", 1, "energy: circuit_ports x circuit_switch_w_per_port x total_s",
     [](const IterationResult& r) { return r.energy.circuits_j; }},
    {"energy_j", "J", "total", 1, "energy of the network per iteration, without the servers' computation",
     [](const IterationResult& r) { return r.energy.total_j(); }},
    {"steps", "1", "", 1, "sequential communication steps; a bucket of scales is one", steps_in, true},
}};

std::string cell(const Iteration& q, const IterationResult& r, const char* missing) {
  const double x = q.scale * q.of(r);
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
  for (std::size_t i = 0; i < all.results.size(); ++i) {
    const IterationResult& r = all.results[i];
    rows.push_back({r.scenario.name, std::to_string(r.scenario.servers), r.scenario.network,
                    r.scenario.collective, fmt::format("{:.4g}", 1e3 * r.time.compute_s()),
                    fmt::format("{:.4g}", 1e3 * r.total_s), ratio_cell(all.normalised[i])});
  }
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
  for (std::size_t i = 0; i < all.results.size(); ++i) {
    const IterationResult& r = all.results[i];
    Json row;
    for (const FieldEntry& f : scenario_fields(r.scenario))
      std::visit(
          [&, key = std::string(f.info.key)](const auto& v) {
            using V = std::decay_t<decltype(v)>;
            if constexpr (std::is_arithmetic_v<V> || std::is_same_v<V, std::string>) row[key] = v;
          },
          f.value);
    for (const Iteration& q : quantities) row[q.name] = q.json(r);
    row["rate_reachable"] = r.energy.rate_reachable;
    const double ratio = all.normalised[i];
    row["normalised"] = std::isnan(ratio) ? Json(nullptr) : Json(ratio);
    rows.push_back(std::move(row));
  }
  for (const SensitivityPoint& p : all.sensitivity)
    points.push_back({{"name", p.name},
                      {"subject", p.subject},
                      {"reference", p.reference},
                      {"key", p.key},
                      {"value", p.value_text},
                      {"ratio", p.ratio},
                      {"nominal", p.nominal}});
  const Json open = {{"energy_j", "null for OptINC units if the scenario names no design"}};
  return {{"title", all.title}, {"not_known", open}, {"scenarios", rows}, {"sensitivity", points}};
}

void write_iterations(const Group& group, const InterconnectResults& all) {
  write_columns(group, "scenario", quantities, all.results.size(),
                [&](std::size_t i) -> const IterationResult& { return all.results[i]; });
  std::vector<std::uint8_t> reachable;
  for (const IterationResult& r : all.results) reachable.push_back(r.energy.rate_reachable ? 1 : 0);
  group.dataset("rate_reachable", {"scenario"}, reachable, "1",
                "0 if OptINC units are not shown to carry the symbol rate of their design, or have no design");
}

}  // namespace optinc
