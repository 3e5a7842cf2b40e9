#include "experiments/interconnect/report.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "experiments/store/table_column.hpp"

namespace optinc {
namespace {

using Json = nlohmann::ordered_json;

using Iteration = TableColumn<IterationResult>;

double steps_in(const IterationResult& r) {
  std::int64_t steps = 0;
  for (const StepRecord& s : r.steps) steps += s.repeats;
  return static_cast<double>(steps);
}

constexpr std::array<Iteration, 23> quantities = {{
    {"parameters", "1", "", 1, "parameters of the model",
     [](const IterationResult& r) { return static_cast<double>(r.parameters); }, true},
    {"macs", "1", "", 1, "multiply-adds of the forward pass, per sample",
     [](const IterationResult& r) { return static_cast<double>(r.macs); }, true},
    {"flop", "1", "", 1, "operations of a server and iteration",
     [](const IterationResult& r) { return r.flop; }},
    {"payload_bytes", "byte", "MB", 1e-6, "gradient of a server, without scales",
     [](const IterationResult& r) { return r.payload_bytes; }},
    {"forward_s", "s", "", 1, "forward pass", [](const IterationResult& r) { return r.time.forward_s; }},
    {"backward_s", "s", "", 1, "backward pass", [](const IterationResult& r) { return r.time.backward_s; }},
    {"serial_s", "s", "serial ms", 1e3, "communication: bytes at the rates they get",
     [](const IterationResult& r) { return r.time.serial_s; }},
    {"latency_s", "s", "latency ms", 1e3, "communication: steps, hops, light in fibres and chips",
     [](const IterationResult& r) { return r.time.latency_s; }},
    {"circuits_s", "s", "circuits ms", 1e3, "communication: circuits set, the share of setup_s included",
     [](const IterationResult& r) { return r.time.circuits_s; }},
    {"sync_s", "s", "scales ms", 1e3, "communication: agreeing on the scales of blocks",
     [](const IterationResult& r) { return r.time.sync_s; }},
    {"communication_s", "s", "", 1, "serial, latency, circuits and scales",
     [](const IterationResult& r) { return r.time.communication_s(); }},
    {"exposed_s", "s", "exposed ms", 1e3, "communication that computing does not hide",
     [](const IterationResult& r) { return r.exposed_s; }},
    {"total_s", "s", "total ms", 1e3, "iteration: computing and exposed communication",
     [](const IterationResult& r) { return r.total_s; }},
    {"sent_bytes", "byte", "", 1, "by the server that sends most, scales included",
     [](const IterationResult& r) { return r.sent_bytes; }},
    {"normalised_data", "1", "data", 1, "sent_bytes over payload_bytes",
     [](const IterationResult& r) { return r.normalised_data; }},
    {"slowdown", "1", "slowdown", 1, "serial time over that of ports alone",
     [](const IterationResult& r) { return r.slowdown; }},
    {"mean_slowdown", "1", "mean", 1, "the same of the mean flow, which waits for its own links alone",
     [](const IterationResult& r) { return r.mean_slowdown; }},
    {"algorithm_bytes_per_s", "byte/s", "algbw GB/s", 1e-9, "gradient over communication",
     [](const IterationResult& r) { return r.algorithm_bytes_per_s; }},
    {"bus_bytes_per_s", "byte/s", "busbw GB/s", 1e-9,
     "algorithm_bytes_per_s times 2 (N-1)/N, NaN where the network adds",
     [](const IterationResult& r) { return r.bus_bytes_per_s; }},
    {"energy_j", "J", "mJ", 1e3, "bits through transceivers and switches, units while they communicate",
     [](const IterationResult& r) { return r.energy_j; }},
    {"energy_j_per_bit", "J/bit", "pJ/bit", 1e12, "energy over the gradients of all servers",
     [](const IterationResult& r) { return r.energy_j_per_bit; }},
    {"units", "1", "", 1, "units of OptINC",
     [](const IterationResult& r) { return static_cast<double>(r.units); }, true},
    {"steps", "1", "", 1, "steps of the communication, one after the other; a bucket of scales is one",
     steps_in, true},
}};

std::string cell(const Iteration& q, const IterationResult& r) {
  const double x = q.scale * q.of(r);
  if (x == 0.0 || std::isnan(x)) return "-";
  if (std::abs(x) >= 1e4) return fmt::format("{:.0f}", x);
  return fmt::format("{:.4g}", x);
}

std::string ratio_cell(double x) { return std::isnan(x) ? "-" : fmt::format("{:.3f}", x); }

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
  std::vector<std::vector<std::string>> rows = {{"scenario", "network", "collective", "N", "compute ms"}};
  for (const Iteration& q : quantities)
    if (q.shown()) rows[0].emplace_back(q.heading);
  rows[0].insert(rows[0].end(), {"normalised", "to", "remarks"});
  bool calibrated = false;
  for (std::size_t i = 0; i < all.results.size(); ++i) {
    const IterationResult& r = all.results[i];
    const Scenario& s = r.scenario;
    std::vector<std::string> row = {s.name, s.network, s.collective, std::to_string(s.servers),
                                    fmt::format("{:.4g}", 1e3 * r.time.compute_s())};
    for (const Iteration& q : quantities)
      if (q.shown()) row.push_back(cell(q, r));
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
      "over that of\n  ports alone, and the mean over flows; normalised: iteration over that of the scenario "
      "named "
      "beside; pJ/bit of "
      "gradient,\n  from guessed pJ/bit of parts.\n";
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
    for (const Iteration& q : quantities) row[q.name] = q.json(r);
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
  return {{"title", all.title}, {"scenarios", rows}, {"sensitivity", points}};
}

void write_iterations(const Group& group, const InterconnectResults& all) {
  write_columns(group, "scenario", quantities, all.results.size(),
                [&](std::size_t i) -> const IterationResult& { return all.results[i]; });
}

}  // namespace optinc
