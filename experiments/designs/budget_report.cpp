#include "experiments/designs/budget_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/base/text_table.hpp"
#include "experiments/files/hdf5/table_column.hpp"
#include "onn/budget/notes.hpp"

namespace optinc {
namespace {

using Json = nlohmann::ordered_json;

const std::vector<TableColumn<BudgetStage>> stage_columns = {
    {"blocks", "1", "square blocks of the layer's matrix", &BudgetStage::blocks},
    {"mzis", "1", "MZIs", &BudgetStage::mzis},
    {"columns", "1", "MZIs in series", &BudgetStage::columns},
    {"shifters", "1", "phase shifters", &BudgetStage::shifters},
    {"modulators", "1", "modulators", &BudgetStage::modulators},
    {"receivers", "1", "receivers", &BudgetStage::receivers},
    {"adcs", "1", "converters", &BudgetStage::adcs},
    {"on_way", "1", "1 if on the critical path, of the light that arrives last",
     [](const auto& s) { return s.on_critical_path ? 1 : 0; }},
    {"delay_lines", "1", "delay lines before the stage; unit P: before its lanes are split",
     &BudgetStage::lines},
    {"start", "s", "time at which light of a word enters a layer, counted from unit P", &BudgetStage::start_s},
    {"delay_line_length", "m", "length of all delay lines of the stage", &BudgetStage::line_m},
    {"wait", "s", "delay of the longest delay line of the stage", &BudgetStage::wait_s},
    {"received", "W",
     "signal power on each receiver at its largest value; unit P: only if averaging is incoherent",
     &BudgetStage::received_w},
    {"snr", "dB", "electrical signal-to-noise ratio of that receiver", &BudgetStage::snr_db},
    {"gain", "dB", "optical power that re-modulation restores", &BudgetStage::gain_db},
};

const std::vector<TableColumn<HeaterBudget>> heater_columns = {
    {"pi_power", "W", "heater power for a phase of pi", &HeaterBudget::pi_power_w, "P_pi (mW)", 1e3},
    {"heater_power", "W", "power of all heaters at the programmed phases, without static phases",
     &HeaterBudget::power_w, "programmed (W)"},
    {"heater_power_estimate", "W", "power of all heaters at mean phases", &HeaterBudget::estimate_w,
     "mean phases (W)"},
    {"heater_power_trimmed", "W",
     "power of all heaters with random static phases trimmed: pi per shifter on average",
     &HeaterBudget::trimmed_w, "static phases trimmed (W)"},
};

const std::vector<TableColumn<BudgetAnswer>> answer_columns = {
    {"answer_columns", "1", "MZIs in series on the critical path of the digit", &BudgetAnswer::columns},
    {"answer_conversions", "1", "optical-electrical-optical conversions on the critical path of the digit",
     &BudgetAnswer::conversions},
    {"answer_loss", "dB", "loss on the critical path of the digit, without gain", &BudgetAnswer::loss_db},
    {"answer_delay", "s", "delay on the critical path of the digit", &BudgetAnswer::delay_s},
    {"answer_received", "W", "signal power of digit 3 on a server's receiver", &BudgetAnswer::received_w},
};

const std::vector<TableColumn<ChipBudget>> total_columns = {
    {"longest_wait", "s", "longest wait of light in delay lines",
     [](const auto& b) { return b.longest_wait.wait_s; }},
    {"longest_wait_length", "m", "length of the delay line for that wait",
     [](const auto& b) { return b.longest_wait.line_m; }},
    {"longest_wait_loss", "dB", "loss of the delay line for that wait",
     [](const auto& b) { return b.longest_wait.loss_db; }},
    {"launch_delay", "s", "time from the first to the last digit leaving the servers",
     &ChipBudget::launch_delay_s},
    {"passive_received", "dBm", "power that a server would receive without gain",
     &ChipBudget::passive_received_dbm},
    {"laser_optical", "W", "optical power of all lasers", &ChipBudget::laser_optical_w},
    {"mesh_area", "m2", "area of the bounding boxes of all meshes", &ChipBudget::mesh_area_m2},
    {"die_area", "m2", "area of meshes placed in rows, delay lines, modulators and receivers",
     &ChipBudget::die_area_m2},
    {"die_heat", "W", "heat of heaters (static phases trimmed), receivers, drivers and clocks",
     &ChipBudget::die_heat_w},
    {"die_rise", "K", "temperature rise of the die above ambient with that heat", &ChipBudget::die_rise_k},
    {"symbol_rate", "Bd", "symbols per second on every lane", &ChipBudget::symbol_rate_bd},
    {"symbol_rate_limit", "Bd", "upper bound on the symbol rate, from one receiver and one modulator",
     &ChipBudget::symbol_rate_limit_bd},
    {"energy_per_bit", "J",
     "energy per bit of all servers' codes, if the chip decodes at symbol_rate; NaN if symbol_rate exceeds the "
     "bound",
     &ChipBudget::energy_per_bit_j},
    {"receiver_bandwidth", "Hz", "3 dB bandwidth of every receiver", &ChipBudget::receiver_bandwidth_hz},
};

/// A number of a table, nothing for 0: four digits, and no more places than those need.
std::string cell(double value) {
  if (value == 0.0) return "-";
  const double size = std::abs(value);
  return size >= 100 ? fmt::format("{:.0f}", value)
         : size >= 1 ? fmt::format("{:.2f}", value)
                     : fmt::format("{:.3g}", value);
}
std::string cell(std::int64_t count) { return count == 0 ? "-" : fmt::format("{}", count); }

/// A table of text, the first column flush left and repeated where the others need several blocks.
std::string table_of(const std::vector<std::string>& headings,
                     const std::vector<std::vector<std::string>>& rows) {
  std::vector<TextColumn> columns;
  for (const std::string& heading : headings)
    columns.push_back({heading, columns.empty() ? Align::left : Align::right});
  return text_table(columns, rows, 1);
}

/// A paragraph under a table.
std::string note(std::string_view text) { return hanging_text("", text, 2); }

std::string stages_text(const ChipBudget& b) {
  std::vector<std::vector<std::string>> rows;
  for (const BudgetStage& s : b.stages) {
    const bool receives = s.received_w > 0;
    rows.push_back({s.name,
                    s.inputs > 0 ? fmt::format("{} to {}", s.inputs, s.outputs) : fmt::format("{}", s.outputs),
                    cell(std::int64_t{s.blocks}), cell(s.mzis), cell(std::int64_t{s.columns}), cell(s.shifters),
                    cell(s.modulators), cell(s.receivers), cell(s.adcs),
                    receives ? fmt::format("{:.1f}", 10 * std::log10(s.received_w / 1e-3)) : "-",
                    receives ? fmt::format("{:.1f}", s.snr_db) : "-",
                    s.gain_db != 0.0 ? fmt::format("{:.1f}", s.gain_db) : "-"});
  }
  return table_of({"stage", "ports", "blocks", "MZIs", "columns", "shifters", "modulators", "receivers", "ADCs",
                   "light (dBm)", "SNR (dB)", "gain (dB)"},
                  rows) +
         note(
             "light: power on each receiver at its largest value; SNR: of its current, against shot, amplifier "
             "and oscillator noise; gain: optical power that re-modulation restores.");
}

/// One table, stages down and parts across, in `unit` of `scale`.
std::string table_text(const ChipBudget& b, const BudgetTable& t, const std::string& heading, double scale) {
  std::vector<std::string> headings = {"stage"};
  std::vector<std::vector<std::string>> rows;
  std::vector<const BudgetPart*> parts;
  for (const BudgetPart& p : t.parts)
    if (p.total() != 0.0 || std::any_of(p.by_stage.begin(), p.by_stage.end(), [](double v) { return v != 0; }))
      parts.push_back(&p);
  for (const BudgetPart* p : parts) headings.push_back(p->name);
  headings.emplace_back("total");
  for (std::size_t k = 0; k < b.stages.size(); ++k) {
    rows.push_back({b.stages[k].name});
    for (const BudgetPart* p : parts) rows.back().push_back(cell(scale * p->by_stage[k]));
    rows.back().push_back(cell(scale * t.total(k)));
  }
  rows.push_back({"all"});
  for (const BudgetPart* p : parts) rows.back().push_back(cell(scale * p->total()));
  rows.back().push_back(cell(scale * t.total()));
  std::string text = fmt::format("\n{}\n{}", heading, table_of(headings, rows));
  for (const BudgetPart* p : parts) text += hanging_text(fmt::format("  {}:", p->name), p->source, 22);
  return text;
}

/// Light that waits for other light, stage by stage; nothing where none does.
std::string waits_text(const ChipBudget& b) {
  if (b.delay_lines_m() == 0.0 && b.launch_delay_s == 0.0) return "";
  std::vector<std::vector<std::string>> rows;
  for (const BudgetStage& s : b.stages)
    rows.push_back({s.name, s.on_critical_path ? "yes" : "-", cell(1e9 * s.start_s),
                    cell(std::int64_t{s.lines}), cell(1e3 * s.line_m), cell(1e9 * s.wait_s)});
  return "\nWaiting: light that arrives before its layer starts (link.skew)\n" +
         table_of({"stage", "on critical path", "starts (ns)", "delay lines", "total (mm)", "longest (ns)"},
                  rows);
}

std::string heaters_text(const ChipBudget& b) {
  std::vector<std::string> headings = {"heater"};
  for (const auto& q : heater_columns) headings.push_back(q.heading);
  std::vector<std::vector<std::string>> rows;
  for (const HeaterBudget& h : b.heaters) {
    rows.push_back({h.name});
    for (const auto& q : heater_columns) rows.back().push_back(cell(q.number(h)));
  }
  return "\nHeaters, W\n" + table_of(headings, rows) +
         note(
             "programmed: the phases of this chip, without static phases; mean phases: P_pi (pi + <theta>)/pi "
             "per MZI; static phases trimmed: as fabricated, pi per shifter on average.");
}

std::string totals_text(const ChipBudget& b, const UnitHardware& hardware) {
  std::string text = "\nTotals\n";
  const auto line = [&](const char* name, const std::string& value) {
    text += hanging_text(fmt::format("  {}", name), value, 42);
  };
  line("MZIs, columns in series", fmt::format("{}, {}", b.mzis(), b.columns()));
  line("area of the die",
       fmt::format(
           "{} mm^2: meshes placed in rows, delay lines, modulators and receivers; the boxes of MZIs and "
           "devices alone take {} mm^2",
           cell(1e6 * b.die_area_m2), cell(1e6 * b.area_m2.total())));
  line("heat on the die", fmt::format("{} W from heaters, receivers and drivers: {} K above the ambient",
                                      cell(b.die_heat_w), cell(b.die_rise_k)));
  line("loss of one pass without gain",
       fmt::format("{:.1f} dB, of which fan-out and fan-in {:.1f}; a server would "
                   "receive {:.1f} dBm",
                   b.loss_db.total(), b.fan_db(), b.passive_received_dbm));
  line("O/E/O conversions in series", fmt::format("{}", b.conversions()));
  line("largest loss between two of them", fmt::format("{:.1f} dB", b.most_gain_db()));
  if (b.longest_wait.wait_s > 0)
    line("delay lines",
         fmt::format("{:.0f} mm in all; longest wait {:.3f} ns: {:.1f} mm, {:.2f} dB, {} to {}",
                     1e3 * b.delay_lines_m(), 1e9 * b.longest_wait.wait_s, 1e3 * b.longest_wait.line_m,
                     b.longest_wait.loss_db, b.longest_wait.from, b.longest_wait.to));
  if (b.launch_delay_s > 0)
    line("last digit leaves the servers", fmt::format("{:.3f} ns after the first", 1e9 * b.launch_delay_s));
  if (b.answer_skew_s() > 0)
    line("digits of the answer", fmt::format("{:.3f} ns apart", 1e9 * b.answer_skew_s()));
  const int boosters = light_supply(hardware.laser, b.laser_optical_w).boosters;
  line("optical power of all lasers",
       fmt::format("{:.3g} W{}", b.laser_optical_w,
                   boosters > 0 ? fmt::format(", of {} boosters", boosters) : ""));
  line("power without drivers and converters",
       fmt::format("{} W, at any symbol rate: heaters, lasers, receivers and control",
                   cell(b.static_power_w.total())));
  const std::string rate =
      fmt::format("at {:.4g} GBd{}", 1e-9 * b.symbol_rate_bd, b.carries_its_rate() ? "" : "*");
  line("power of drivers and converters", fmt::format("{} W {}", cell(b.symbol_power_w.total()), rate));
  line("delay", fmt::format("{:.3f} ns, of which MZIs {:.3f} (fibres not counted)", 1e9 * b.delay_s.total(),
                            1e9 * b.optical_delay_s));
  line("symbols in flight",
       fmt::format("{:.1f}, of which in MZIs {:.1f}, {}", b.symbols_in_flight(), b.symbols_in_mzis(), rate));
  line("symbol rate of one stage", fmt::format("at most {:.3g} GBd", 1e-9 * b.symbol_rate_limit_bd));
  if (b.carries_its_rate())
    line("bits and energy per bit",
         fmt::format("{:.4g} Gb/s of all servers' codes, {:.3g} pJ/bit, if the chip decodes {}",
                     1e-9 * b.bits_per_word * b.symbol_rate_bd, 1e12 * b.energy_per_bit_j(), rate));
  return text;
}

/// How many of a part's figures that set keys are known in each way.
std::array<int, 4> known_counts(const Part& part) {
  std::array<int, 4> counts{};
  for (const Figure& figure : part.figures)
    if (!figure.key.empty()) ++counts.at(static_cast<std::size_t>(figure.known));
  return counts;
}

/// What the unit asks of its parts beyond their sources.
std::vector<std::string> notes_on_parts(const ChipBudget& b, const UnitHardware& hardware) {
  double largest_v = 0.0;
  for (const BudgetStage& stage : b.stages) largest_v = std::max(largest_v, stage.swing_v);
  return beyond_parts(hardware, largest_v, b.laser_optical_w);
}

/// "3 read, 1 assumed".
std::string known_text(const Part& part) {
  const std::array<int, 4> counts = known_counts(part);
  std::string text;
  for (std::size_t k = 0; k < counts.size(); ++k)
    if (counts[k] > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts[k], names_of<Known>()[k]);
  return text;
}

std::string parts_text(const ChipBudget& b, const UnitHardware& hardware) {
  const std::vector<TextColumn> columns = {
      {"key", Align::left}, {"part", Align::left}, {"figures", Align::left}, {"overridden", Align::left, 24}};
  std::vector<std::vector<std::string>> rows;
  for (const UnitPart& named : unit_parts(hardware))
    rows.push_back({named.key, named.part->name, known_text(*named.part),
                    named.overridden.empty() ? "-" : fmt::format("{}", fmt::join(named.overridden, ", "))});
  std::string notes;
  for (const std::string& note : notes_on_parts(b, hardware))
    notes += hanging_text("  beyond its source:", note, 4);
  return "\nParts, and how their figures are known\n" + text_table(columns, rows, 1) + notes +
         hanging_text("  no part sets:", fmt::format("{}", fmt::join(keys_without_part(), ", ")), 4);
}

Json parts_json(const UnitHardware& hardware) {
  Json parts = Json::array();
  for (const UnitPart& named : unit_parts(hardware)) {
    const std::array<int, 4> counts = known_counts(*named.part);
    parts.push_back({{"key", named.key},
                     {"part", named.part->name},
                     {"kind", named.part->kind},
                     {"read", counts[0]},
                     {"measured", counts[1]},
                     {"memory", counts[2]},
                     {"assumed", counts[3]},
                     {"overridden", named.overridden}});
  }
  return parts;
}

Json table_json(const BudgetTable& t) {
  Json parts = Json::object();
  for (const BudgetPart& p : t.parts)
    parts[p.name] = {{"total", p.total()}, {"by_stage", p.by_stage}, {"source", p.source}};
  return {{"unit", t.unit}, {"total", t.total()}, {"parts", parts}};
}

void write_table(const Group& group, const BudgetTable& t, std::string_view unit, std::string_view long_name) {
  const std::string axis = t.name + "_part";
  std::vector<std::string> names, sources;
  for (const BudgetPart& p : t.parts) names.push_back(p.name), sources.push_back(p.source);
  group.dimension(axis, names, "1", "part of the budget");
  group.dataset(t.name + "_source", {axis}, sources, "1", "origin of this part, and keys that set it");
  std::vector<double> values;
  for (std::size_t k = 0; k < t.parts.front().by_stage.size(); ++k)
    for (const BudgetPart& p : t.parts) values.push_back(p.by_stage[k]);
  group.dataset(t.name, {"stage", axis}, values, unit, long_name);
}

}  // namespace

std::string budget_text(const ChipBudget& b, const UnitHardware& hardware, const std::string& title) {
  const std::string point = operating_point_note(b.symbol_rate_bd, b.symbol_rate_limit_bd);
  return hanging_text("Budget of", title, 10) + "\n" + hanging_text("Note:", point, 6) + "\nStages\n" +
         stages_text(b) + table_text(b, b.loss_db, "Loss, dB, of one pass without gain", 1) +
         table_text(b, b.static_power_w, "Electrical power that does not depend on the symbol rate, W", 1) +
         table_text(b, b.symbol_power_w,
                    fmt::format("Electrical power at a symbol rate of {:.4g} GBd{}, W", 1e-9 * b.symbol_rate_bd,
                                b.carries_its_rate() ? "" : "*"),
                    1) +
         heaters_text(b) + table_text(b, b.delay_s, "Delay, ns", 1e9) + waits_text(b) +
         table_text(b, b.area_m2, "Area of devices on the die, mm^2", 1e6) + totals_text(b, hardware) +
         parts_text(b, hardware);
}

nlohmann::ordered_json budget_json(const ChipBudget& b, const UnitHardware& hardware,
                                   const std::string& title) {
  Json notes = {operating_point_note(b.symbol_rate_bd, b.symbol_rate_limit_bd)};
  for (const std::string& note : notes_on_parts(b, hardware)) notes.push_back(note);
  Json stages = Json::array(), heaters = Json::array(), answers = Json::array();
  for (const BudgetStage& s : b.stages) {
    Json& stage = stages.emplace_back(Json{{"name", s.name}, {"inputs", s.inputs}, {"outputs", s.outputs}});
    stage.update(json_row(stage_columns, s, true));
    if (s.received_w == 0.0) stage["snr_db"] = nullptr;
  }
  for (const HeaterBudget& h : b.heaters)
    heaters.emplace_back(Json{{"name", h.name}}).update(json_row(heater_columns, h, true));
  for (const BudgetAnswer& a : b.answers) answers.push_back(json_row(answer_columns, a, true));
  Json json = {{"title", title},
               {"notes", notes},
               {"parts", parts_json(hardware)},
               {"keys_without_part", keys_without_part()},
               {"mzis", b.mzis()},
               {"columns", b.columns()},
               {"conversions", b.conversions()},
               {"fan_db", b.fan_db()},
               {"most_gain_db", b.most_gain_db()},
               {"delay_lines_m", b.delay_lines_m()},
               {"longest_wait", {{"from", b.longest_wait.from}, {"to", b.longest_wait.to}}},
               {"answer_skew_s", b.answer_skew_s()},
               {"answers", answers},
               {"boosters", light_supply(hardware.laser, b.laser_optical_w).boosters},
               {"optical_delay_s", b.optical_delay_s},
               {"rate_reachable", b.carries_its_rate()},
               {"symbols_in_mzis", b.symbols_in_mzis()},
               {"symbols_in_flight", b.symbols_in_flight()},
               {"loss", table_json(b.loss_db)},
               {"static_power", table_json(b.static_power_w)},
               {"symbol_power", table_json(b.symbol_power_w)},
               {"delay", table_json(b.delay_s)},
               {"area", table_json(b.area_m2)},
               {"heaters", heaters},
               {"stages", stages}};
  json.update(json_row(total_columns, b, true));
  return json;
}

void write_budget(const Group& group, const ChipBudget& b) {
  std::vector<std::string> stages, heaters;
  for (const BudgetStage& s : b.stages) stages.push_back(s.name);
  for (const HeaterBudget& h : b.heaters) heaters.push_back(h.name);
  group.dimension("stage", stages, "1", "stage of the light path");
  write_columns(group, "stage", stage_columns, b.stages);
  write_table(group, b.loss_db, "dB",
              "loss of one pass without gain, laser to receiver; negative where light adds up");
  write_table(group, b.static_power_w, "W",
              "electrical power that does not depend on the symbol rate: heaters, lasers, receivers, control");
  write_table(group, b.symbol_power_w, "W",
              "electrical power of modulator drivers, converters and clocks, at symbol_rate");
  write_table(group, b.delay_s, "s", "delay, without fibres");
  write_table(group, b.area_m2, "m2", "area of MZIs, delay lines, modulators and receivers on the die");
  group.dimension("heater", heaters, "1", "kind of heater");
  write_columns(group, "heater", heater_columns, b.heaters);
  group.counting_dimension("answer", b.answers.size(), "digit of the answer, most significant first");
  write_columns(group, "answer", answer_columns, b.answers);
  for (const auto& q : total_columns) write_values(group, {}, q.name, {q.of(b)}, q.unit, q.long_name);
}

}  // namespace optinc
