#include "experiments/interconnect/report.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace optinc {
namespace {

using Json = nlohmann::ordered_json;

/// One quantity of an iteration: how it is stored, and how the table shows it.
struct Quantity {
  const char* name;  ///< dataset, and JSON key
  const char* unit;
  const char* heading;  ///< of the table; empty: not in it
  double scale;         ///< from SI to the table's unit
  const char* long_name;
  double (*of)(const IterationResult&);
  bool counts = false;  ///< an integer
};

constexpr std::array<Quantity, 23> quantities = {{
    {"parameters", "1", "", 1, "parameters of the model",
     [](const IterationResult& r) { return static_cast<double>(r.parameters); }, true},
    {"macs", "1", "", 1, "multiply-adds of the forward pass, per sample",
     [](const IterationResult& r) { return static_cast<double>(r.macs); }, true},
    {"flop", "1", "", 1, "operations of a server and iteration",
     [](const IterationResult& r) { return r.flop; }},
    {"payload", "byte", "MB", 1e-6, "gradient of a server",
     [](const IterationResult& r) { return r.payload_bytes; }},
    {"compute", "s", "compute ms", 1e3, "forward and backward pass",
     [](const IterationResult& r) { return r.time.compute_s(); }},
    {"forward", "s", "", 1, "forward pass", [](const IterationResult& r) { return r.time.forward_s; }},
    {"backward", "s", "", 1, "backward pass", [](const IterationResult& r) { return r.time.backward_s; }},
    {"serial", "s", "serial ms", 1e3, "communication: bytes at the rates they get",
     [](const IterationResult& r) { return r.time.serial_s; }},
    {"latency", "s", "latency ms", 1e3, "communication: steps, hops, light in fibres and chips",
     [](const IterationResult& r) { return r.time.latency_s; }},
    {"reconfiguration", "s", "reconf. ms", 1e3, "communication: circuits set anew",
     [](const IterationResult& r) { return r.time.reconfiguration_s; }},
    {"sync", "s", "sync ms", 1e3, "communication: agreeing on the scales of blocks",
     [](const IterationResult& r) { return r.time.sync_s; }},
    {"communication", "s", "", 1, "serial, latency, reconfiguration and sync",
     [](const IterationResult& r) { return r.time.communication_s(); }},
    {"exposed", "s", "exposed ms", 1e3, "communication that computing does not hide",
     [](const IterationResult& r) { return r.exposed_s; }},
    {"total", "s", "total ms", 1e3, "iteration: computing and exposed communication",
     [](const IterationResult& r) { return r.total_s; }},
    {"sent", "byte", "", 1, "by the server that sends most",
     [](const IterationResult& r) { return r.sent_bytes; }},
    {"normalised_data", "1", "data", 1, "bytes that the busiest server sends over those of its gradient",
     [](const IterationResult& r) { return r.normalised_data; }},
    {"slowdown", "1", "slowdown", 1, "serial time over that of ports alone",
     [](const IterationResult& r) { return r.slowdown; }},
    {"algorithm_bandwidth", "byte/s", "algbw GB/s", 1e-9, "gradient over communication",
     [](const IterationResult& r) { return r.algorithm_bytes_per_s; }},
    {"bus_bandwidth", "byte/s", "busbw GB/s", 1e-9,
     "algorithm_bandwidth times 2 (N-1)/N; of no meaning where the network adds",
     [](const IterationResult& r) { return r.bus_bytes_per_s; }},
    {"energy", "J", "mJ", 1e3, "bits through transceivers and switches, units while they communicate",
     [](const IterationResult& r) { return r.energy_j; }},
    {"energy_per_bit", "J/bit", "pJ/bit", 1e12, "energy over the gradients of all servers",
     [](const IterationResult& r) { return r.energy_per_bit_j; }},
    {"units", "1", "", 1, "units of OptINC",
     [](const IterationResult& r) { return static_cast<double>(r.units); }, true},
    {"steps", "1", "", 1, "steps of the communication, one after the other",
     [](const IterationResult& r) {
       double steps = 0;
       for (const StepRecord& s : r.steps) steps += static_cast<double>(s.repeats);
       return steps;
     },
     true},
}};

std::string cell(const Quantity& q, const IterationResult& r) {
  const double x = q.scale * q.of(r);
  if (x == 0.0) return "-";
  if (std::abs(x) >= 1e4) return fmt::format("{:.0f}", x);
  return fmt::format("{:.4g}", x);
}

std::string ratio_cell(double x) { return std::isnan(x) ? "-" : fmt::format("{:.3f}", x); }

Json number(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

std::string aligned(const std::vector<std::vector<std::string>>& rows, std::size_t left) {
  std::vector<std::size_t> width(rows[0].size(), 0);
  for (const auto& row : rows)
    for (std::size_t k = 0; k < row.size(); ++k) width[k] = std::max(width[k], row[k].size());
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t k = 0; k < row.size(); ++k)
      line += k < left || k + 1 == row.size() ? fmt::format("  {:<{}}", row[k], width[k])
                                              : fmt::format("  {:>{}}", row[k], width[k]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

}  // namespace

std::string interconnect_text(const InterconnectResults& all) {
  std::vector<std::vector<std::string>> rows = {{"scenario", "network", "collective", "N"}};
  for (const Quantity& q : quantities)
    if (q.heading[0] != '\0') rows[0].emplace_back(q.heading);
  rows[0].insert(rows[0].end(), {"normalised", "to", "remarks"});
  bool calibrated = false;
  for (std::size_t i = 0; i < all.results.size(); ++i) {
    const IterationResult& r = all.results[i];
    const Scenario& s = r.scenario;
    std::vector<std::string> row = {s.name, s.network, s.collective, std::to_string(s.servers)};
    for (const Quantity& q : quantities)
      if (q.heading[0] != '\0') row.push_back(cell(q, r));
    std::string remark = s.calibrated ? "CALIBRATED" : "";
    if (!s.note.empty()) remark += (remark.empty() ? "" : ": ") + s.note;
    row.insert(row.end(), {ratio_cell(all.normalised[i]), s.reference, remark});
    calibrated |= s.calibrated;
    rows.push_back(std::move(row));
  }
  std::string text = fmt::format("Interconnects: {}\n\n{}", all.title, aligned(rows, 3));
  text +=
      "\n  total = compute + exposed; data: bytes the busiest server sends over its gradient's; slowdown: "
      "serial time "
      "over that of\n  ports alone; normalised: iteration over that of the scenario named beside; pJ/bit of "
      "gradient, "
      "from guessed pJ/bit of parts.\n";
  if (calibrated)
    text +=
        "  CALIBRATED: parameters were chosen so that a published ratio comes out. Such a row shows what would "
        "explain "
        "it, and\n  predicts nothing.\n";
  if (all.sensitivity.empty()) return text;
  std::vector<std::vector<std::string>> questions = {
      {"assumption", "subject", "over", "key", "value", "iterations", ""}};
  for (const SensitivityPoint& p : all.sensitivity)
    questions.push_back({p.name, p.subject, p.reference, p.key, p.value_text, ratio_cell(p.ratio),
                         p.nominal ? "as listed" : ""});
  return text + "\nSensitivity: iteration of the subject over that of the reference\n\n" +
         aligned(questions, 5);
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
    for (const Quantity& q : quantities) row[q.name] = q.counts ? Json(std::llround(q.of(r))) : number(q.of(r));
    row["normalised"] = number(all.normalised[i]);
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
  return {{"title", all.title}, {"scenarios", rows}, {"sensitivity", points}};
}

namespace {

template <class T>
std::vector<T> column(const InterconnectResults& all, std::size_t field) {
  std::vector<T> values;
  for (const IterationResult& r : all.results) {
    const FieldValue value = scenario_fields(r.scenario)[field].value;
    if constexpr (std::is_same_v<T, std::uint8_t>)
      values.push_back(std::get<bool>(value) ? 1 : 0);
    else
      values.push_back(std::get<T>(value));
  }
  return values;
}

void write_scenarios(const Group& group, const InterconnectResults& all) {
  group.counting_dimension("scenario", all.results.size(), "scenario, in the order of the list");
  const std::vector<FieldEntry> fields = scenario_fields({});
  for (std::size_t k = 0; k < fields.size(); ++k) {
    const FieldInfo& info = fields[k].info;
    const FieldValue& type = fields[k].value;
    const auto put = [&](const auto& values) {
      group.dataset(info.key, {"scenario"}, values, info.unit, info.meaning);
    };
    if (std::holds_alternative<bool>(type)) put(column<std::uint8_t>(all, k));
    if (std::holds_alternative<std::int64_t>(type)) put(column<std::int64_t>(all, k));
    if (std::holds_alternative<double>(type)) put(column<double>(all, k));
    if (std::holds_alternative<std::string>(type)) put(column<std::string>(all, k));
  }
  for (const Quantity& q : quantities) {
    if (q.counts) {
      std::vector<std::int64_t> values;
      for (const IterationResult& r : all.results) values.push_back(std::llround(q.of(r)));
      group.dataset(q.name, {"scenario"}, values, q.unit, q.long_name);
    } else {
      std::vector<double> values;
      for (const IterationResult& r : all.results) values.push_back(q.of(r));
      group.dataset(q.name, {"scenario"}, values, q.unit, q.long_name);
    }
  }
  group.dataset("normalised", {"scenario"}, all.normalised, "1", "total over that of the reference");
}

void write_sensitivity(const Group& group, const std::vector<SensitivityPoint>& points) {
  std::vector<std::string> name, subject, reference, key, text;
  std::vector<double> value, ratio;
  std::vector<std::uint8_t> nominal;
  for (const SensitivityPoint& p : points) {
    name.push_back(p.name);
    subject.push_back(p.subject);
    reference.push_back(p.reference);
    key.push_back(p.key);
    text.push_back(p.value_text);
    value.push_back(p.value);
    ratio.push_back(p.ratio);
    nominal.push_back(p.nominal ? 1 : 0);
  }
  group.counting_dimension("point", points.size(), "value of an assumption");
  group.dataset("name", {"point"}, name, "1", "assumption that is varied");
  group.dataset("subject", {"point"}, subject, "1", "scenario that is varied");
  group.dataset("reference", {"point"}, reference, "1", "scenario that it is divided by");
  group.dataset("key", {"point"}, key, "1", "key that is varied");
  group.dataset("value_text", {"point"}, text, "1", "value of the key");
  group.dataset("value", {"point"}, value, "1", "value of the key in its SI unit, NaN for a name");
  group.dataset("ratio", {"point"}, ratio, "1", "iteration of subject over that of reference");
  group.dataset("nominal", {"point"}, nominal, "1", "1 for the subject's own value");
}

void write_links(const Group& group, const InterconnectResults& all) {
  std::vector<std::string> names;
  std::vector<std::int64_t> scenario, peak;
  std::vector<double> capacity, bytes, utilisation;
  for (std::size_t i = 0; i < all.results.size(); ++i)
    for (const LinkUse& l : all.results[i].links) {
      names.push_back(l.name);
      scenario.push_back(static_cast<std::int64_t>(i));
      peak.push_back(l.peak_flows);
      capacity.push_back(l.capacity_bytes_per_s);
      bytes.push_back(l.bytes);
      utilisation.push_back(l.utilisation);
    }
  group.counting_dimension("link", names.size(), "directed link of a scenario");
  group.dataset("scenario_of", {"link"}, scenario, "1", "number of the scenario that it belongs to");
  group.dataset("name", {"link"}, names, "1", "from where and which way");
  group.dataset("capacity", {"link"}, capacity, "byte/s", "what it carries at most");
  group.dataset("bytes", {"link"}, bytes, "byte", "what crossed it in an iteration");
  group.dataset("utilisation", {"link"}, utilisation, "1", "bytes over what it could have carried meanwhile");
  group.dataset("peak_flows", {"link"}, peak, "1", "most flows at the start of a step");
}

}  // namespace

void write_interconnect(const Group& root, const InterconnectResults& all) {
  write_scenarios(root.group("interconnect"), all);
  if (!all.sensitivity.empty()) write_sensitivity(root.group("sensitivity"), all.sensitivity);
  write_links(root.group("links"), all);
}

}  // namespace optinc
