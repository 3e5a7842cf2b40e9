#include "experiments/designs/design_report.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/base/text_table.hpp"
#include "experiments/files/hdf5/table_column.hpp"
#include "onn/budget/notes.hpp"

namespace optinc {
namespace {

using Json = nlohmann::ordered_json;

const std::vector<TableColumn<ComparedDesign>> named = {
    {"network", "1", "what computes the mean: widths, carry chain, or units of which design",
     &ComparedDesign::network},
    {"settings", "1", "keys that override the study, section.key=value",
     [](const auto& d) { return fmt::format("{}", fmt::join(d.entry.settings, "; ")); }},
    {"units", "1", "optical units",
     [](const auto& d) {
       std::int64_t units = d.entry.units.empty() ? 1 : 0;
       for (const UnitsOfDesign& u : d.entry.units) units += u.count;
       return units;
     }},
    {"untrained", "1", "1 if weights are random (Haar-orthogonal): only the costs are meaningful",
     &ComparedDesign::untrained},
    {"time_shared", "1", "1 if one stage serves all digits", [](const auto& d) { return d.entry.time_shared; }},
};

const std::vector<TableColumn<ComparedDesign>> published = {
    {"published_mzis", "1", "published number of MZIs; 0: none",
     [](const auto& d) { return d.entry.published_mzis; }},
    {"published_full_svd", "1", "published number of MZIs by full SVD; 0: none",
     [](const auto& d) { return d.entry.published_full_svd; }},
    {"published", "1", "other published values", [](const auto& d) { return d.entry.published; }},
};

const std::vector<TableColumn<UnitCost>> quantities = {
    {"servers", "1", "servers whose codes are averaged", &UnitCost::servers},
    {"bits", "bit", "bits of a code", &UnitCost::bits},
    {"mzis", "1", "MZIs as built", &UnitCost::mzis, "MZIs"},
    {"mzis_published_way", "1",
     "MZIs counted as in its publication: layers that it does not approximate count by full SVD",
     &UnitCost::mzis_published, "as published"},
    {"mzis_full_svd", "1", "MZIs of all layers by full SVD", &UnitCost::mzis_full_svd, "full SVD"},
    {"modulators", "1", "modulators, including the servers'", &UnitCost::modulators, "modulators"},
    {"receivers", "1", "receivers, including the servers'", &UnitCost::receivers, "receivers"},
    {"neurons", "1", "receivers inside the unit, whose light its own modulators send on", &UnitCost::neurons,
     "neurons"},
    {"neurons_per_bit", "J",
     "part of energy_per_bit that neurons' receivers, drivers and clocks take: no unit with as many takes less",
     &UnitCost::neurons_per_bit_j, "neurons pJ/bit", 1e12},
    {"area", "m2", "area of the dies: meshes placed in rows, delay lines, modulators and receivers",
     &UnitCost::area_m2, "die mm^2", 1e6},
    {"die_rise", "K", "temperature rise of the hottest die above ambient", &UnitCost::die_rise_k, "die K"},
    {"columns", "1", "MZIs in series on the critical path", &UnitCost::columns, "columns"},
    {"conversions", "1", "optical-electrical-optical conversions on the critical path", &UnitCost::conversions,
     "O/E/O"},
    {"loss", "dB", "passive loss of the critical path", &UnitCost::loss_db, "dB"},
    {"most_gain", "dB",
     "largest gain of one regeneration, from the signal on a receiver at its largest output (a limiting one: "
     "the rise of its step)",
     &UnitCost::most_gain_db, "worst dB"},
    {"delay_line_length", "m", "length of all delay lines", &UnitCost::delay_lines_m, "lines mm", 1e3},
    {"longest_wait", "s", "delay of the longest delay line", &UnitCost::longest_wait_s},
    {"longest_wait_loss", "dB", "loss of the longest delay line", &UnitCost::longest_wait_loss_db, "line dB"},
    {"launch_delay", "s", "time from the first to the last digit leaving the servers",
     &UnitCost::launch_delay_s},
    {"memory", "bit", "memory for codes that servers hold for a time-shared stage", &UnitCost::memory_bits},
    {"heater_power", "W", "heater power with random static phases trimmed", &UnitCost::heater_w, "heaters W"},
    {"static_power", "W",
     "electrical power that does not depend on the symbol rate: heaters, lasers, receivers, control",
     &UnitCost::static_power_w, "all static W"},
    {"symbol_power", "W", "electrical power of modulator drivers, converters and clocks, at symbol_rate",
     &UnitCost::symbol_power_w, "drivers, ADCs W"},
    {"delay", "s", "delay from the first symbol in to its code out", &UnitCost::delay_s, "ns", 1e9},
    {"symbols_in_flight", "1", "symbols of a lane in flight during the delay, at symbol_rate",
     &UnitCost::symbols_in_flight, "in flight"},
    {"symbol_rate", "Bd", "symbols per second on every lane", &UnitCost::symbol_rate_bd, "GBd", 1e-9},
    {"symbol_rate_limit", "Bd", "upper bound on the symbol rate, from one receiver and one modulator",
     &UnitCost::symbol_rate_limit_bd, "bound GBd", 1e-9},
    {"energy_per_bit", "J",
     "energy per bit of all servers' codes, if the unit decodes at symbol_rate; NaN if symbol_rate exceeds the "
     "bound",
     &UnitCost::energy_per_bit_j, "pJ/bit", 1e12},
    {"receiver_bandwidth", "Hz", "3 dB bandwidth of every receiver", &UnitCost::receiver_bandwidth_hz,
     "receivers GHz", 1e-9},
    {"slots_per_word", "1", "symbol slots of a lane that one word occupies in a stage, or of every link",
     &UnitCost::slots_per_word, "slots/word"},
};

std::string cell(const TableColumn<UnitCost>& q, const UnitCost& c) {
  const double x = q.number(c);
  if (std::isnan(x)) return "none";
  if (x == 0.0) return "-";
  if (!std::holds_alternative<double>(q.of(c))) return fmt::format("{:.0f}", x);
  return std::abs(x) >= 100 ? fmt::format("{:.0f}", x) : fmt::format("{:.3g}", x);
}

std::string share(double part, double whole) { return fmt::format("{:.2f} %", 100 * part / whole); }

/// Columns that are read beside each other.
struct ColumnGroup {
  std::string_view heading;
  std::vector<std::string_view> names;  ///< of quantities
  std::string_view note;
};

const std::vector<ColumnGroup>& groups() {
  static const std::vector<ColumnGroup> all = {
      {"Hardware, and power that does not depend on the symbol rate",
       {"mzis", "receivers", "modulators", "neurons", "neurons_per_bit", "heater_power", "static_power"},
       "receivers, modulators: including the servers'; neurons pJ/bit: their receivers, drivers and clocks at "
       "the symbol "
       "rate, without light, weights and converters; heaters: with random static phases trimmed; all static: "
       "heaters, lasers, receivers, control. Untrained networks cost what trained ones do."},
      {"MZI counts, die area and heat",
       {"mzis", "mzis_published_way", "mzis_full_svd", "area", "die_rise"},
       "die: all meshes placed in rows, delay lines, modulators and receivers (for a time-shared stage, the "
       "boxes of its devices); die K: rise above ambient from heaters, receivers and drivers."},
      {"Critical path",
       {"columns", "conversions", "loss", "most_gain", "delay", "delay_line_length", "longest_wait_loss"},
       "worst dB: from full scale down to the signal on a receiver at its largest output (for a carry step: at "
       "its rise, a fraction of its sum); lines: delay lines for light that waits."},
      {"At the symbol rate (*: above the bound of its devices)",
       {"symbol_rate", "symbol_rate_limit", "slots_per_word", "symbols_in_flight", "symbol_power",
        "energy_per_bit"},
       "bound: upper bound, from one receiver and one modulator; drivers, ADCs: power that grows with the "
       "symbol rate, including clocks and equalisers; slots: symbol slots of a lane per word; none: no energy "
       "per bit is computed at a rate above the bound. The delay and the memory of a time-shared stage depend "
       "on this rate too."}};
  return all;
}

const TableColumn<UnitCost>& quantity(std::string_view name) {
  return *std::find_if(quantities.begin(), quantities.end(), [&](const auto& q) { return q.name == name; });
}

std::string group_text(const ColumnGroup& group, const std::vector<ComparedDesign>& designs) {
  std::vector<TextColumn> columns = {{"design", Align::left}};
  for (const std::string_view name : group.names) columns.push_back({quantity(name).heading});
  std::vector<std::vector<std::string>> rows;
  for (const ComparedDesign& d : designs) {
    rows.push_back({d.entry.name + (d.cost.carries_its_rate() ? "" : " *")});
    for (const std::string_view name : group.names) rows.back().push_back(cell(quantity(name), d.cost));
  }
  return fmt::format("{}\n{}{}\n", group.heading, text_table(columns, rows, 1),
                     hanging_text("", group.note, 2));
}

/// What a design is, and what is published of it.
std::string description(const ComparedDesign& d) {
  std::string text = d.network;
  const auto found = static_cast<double>(d.cost.mzis_published),
             full = static_cast<double>(d.cost.mzis_full_svd);
  if (d.entry.published_mzis > 0)
    text += fmt::format(
        "; published {} of {} MZIs, {}; here {} of {}, {}", d.entry.published_mzis, d.entry.published_full_svd,
        share(static_cast<double>(d.entry.published_mzis), static_cast<double>(d.entry.published_full_svd)),
        d.cost.mzis_published, d.cost.mzis_full_svd, share(found, full));
  if (!d.entry.published.empty()) text += fmt::format("; published: {}", d.entry.published);
  if (d.cost.launch_delay_s > 0)
    text +=
        fmt::format("; last digit leaves the servers {:.2f} ns after the first", 1e9 * d.cost.launch_delay_s);
  if (d.cost.memory_bits > 0) text += fmt::format("; {:.0f} bits held at the servers", d.cost.memory_bits);
  return text;
}

/// Sentences that hold for some designs, each with the designs.
std::vector<std::string> notes_of(const std::vector<ComparedDesign>& designs) {
  std::map<std::string, std::vector<std::string>> of;
  for (const ComparedDesign& d : designs)
    of[operating_point_note(d.cost.symbol_rate_bd, d.cost.symbol_rate_limit_bd)].push_back(d.entry.name);
  std::vector<std::string> notes;
  for (const auto& [text, names] : of)
    notes.push_back(names.size() == designs.size()
                        ? text
                        : fmt::format("{} Applies to: {}.", text, fmt::join(names, "; ")));
  return notes;
}

}  // namespace

std::string designs_text(const std::vector<ComparedDesign>& designs, const std::string& title) {
  std::string text = hanging_text("Designs:", title, 9) + '\n';
  for (const std::string& note : notes_of(designs)) text += hanging_text("Note:", note, 6);
  text += '\n';
  for (const ColumnGroup& group : groups()) text += group_text(group, designs);
  text += "The designs, and what is published about them\n";
  for (const ComparedDesign& d : designs)
    text += hanging_text(fmt::format("  {}", d.entry.name), description(d), 33);
  return text;
}

Json designs_json(const std::vector<ComparedDesign>& designs, const std::string& title) {
  Json rows = Json::array();
  for (const ComparedDesign& d : designs) {
    Json row = {{"design", d.entry.name}};
    row.update(json_row(named, d));
    row.update(json_row(quantities, d.cost));
    row["rate_reachable"] = d.cost.carries_its_rate();
    row.update(json_row(published, d));
    rows.push_back(std::move(row));
  }
  return {{"title", title}, {"notes", notes_of(designs)}, {"designs", rows}};
}

void write_designs(const Group& group, const DesignList& list, const std::vector<ComparedDesign>& designs) {
  std::vector<std::string> names;
  for (const ComparedDesign& d : designs) names.push_back(d.entry.name);
  group.dimension("design", names, "1", "design, one optical unit or several");
  write_columns(group, "design", named, designs);
  write_columns(group, "design", quantities, designs.size(),
                [&](std::size_t i) -> const UnitCost& { return designs[i].cost; });
  write_columns(group, "design", published, designs);
  const Attributes attributes = group.attributes();
  attributes.set("study", std::string_view(list.study));
  attributes.set("settings", std::string_view(fmt::format("{}", fmt::join(list.settings, "; "))));
}

}  // namespace optinc
