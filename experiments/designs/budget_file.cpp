#include "experiments/designs/budget_file.hpp"

#include <numeric>

namespace optinc {
namespace {

/// One value of every element of a list.
template <class Element, class Get>
auto column(const std::vector<Element>& list, Get get) {
  std::vector<std::decay_t<decltype(get(list.front()))>> values;
  for (const Element& element : list) values.push_back(get(element));
  return values;
}

void write_table(const Group& group, const BudgetTable& t, std::string_view unit, std::string_view long_name) {
  const std::string axis = t.name + "_part";
  group.dimension(axis, column(t.parts, [](const BudgetPart& p) { return p.name; }), "1", "part of the budget");
  group.dataset(t.name + "_source", {axis}, column(t.parts, [](const BudgetPart& p) { return p.source; }), "1",
                "origin of this part, and keys that set it");
  std::vector<double> values;
  for (std::size_t k = 0; k < t.parts.front().by_stage.size(); ++k)
    for (const BudgetPart& p : t.parts) values.push_back(p.by_stage[k]);
  group.dataset(t.name, {"stage", axis}, values, unit, long_name);
}

}  // namespace

void write_budget(const Group& group, const ChipBudget& b) {
  group.dimension("stage", column(b.stages, [](const BudgetStage& s) { return s.name; }), "1",
                  "stage of the light path");
  const auto count = [&](const char* name, auto member, const char* long_name) {
    group.dataset(name, {"stage"},
                  column(b.stages, [=](const BudgetStage& s) { return static_cast<std::int64_t>(s.*member); }),
                  "1", long_name);
  };
  const auto number = [&](const char* name, double BudgetStage::*member, const char* unit,
                          const char* long_name) {
    group.dataset(name, {"stage"}, column(b.stages, [=](const BudgetStage& s) { return s.*member; }), unit,
                  long_name);
  };
  count("blocks", &BudgetStage::blocks, "square blocks of the layer's matrix");
  count("mzis", &BudgetStage::mzis, "MZIs");
  count("columns", &BudgetStage::columns, "MZIs in series");
  count("shifters", &BudgetStage::shifters, "phase shifters");
  count("modulators", &BudgetStage::modulators, "modulators");
  count("receivers", &BudgetStage::receivers, "receivers");
  count("adcs", &BudgetStage::adcs, "converters");
  count("on_way", &BudgetStage::on_critical_path, "1 if on the critical path");
  count("delay_lines", &BudgetStage::lines, "delay lines before the stage; unit P: before its lanes are split");
  number("start", &BudgetStage::start_s, "s",
         "time at which light of a word enters a layer, counted from unit P");
  number("delay_line_length", &BudgetStage::line_m, "m", "length of all delay lines of the stage");
  number("wait", &BudgetStage::wait_s, "s", "delay of the longest delay line of the stage");
  number("received", &BudgetStage::received_w, "W", "signal power on a receiver at its largest value");
  number("snr", &BudgetStage::snr_db, "dB", "electrical signal-to-noise ratio of that receiver");
  number("gain", &BudgetStage::gain_db, "dB", "optical power that re-modulation restores");
  write_table(group, b.loss_db, "dB", "loss of one pass without gain");
  write_table(group, b.static_power_w, "W", "electrical power that does not depend on the symbol rate");
  write_table(group, b.symbol_power_w, "W", "electrical power that grows with the symbol rate, at symbol_rate");
  write_table(group, b.delay_s, "s", "delay");
  write_table(group, b.area_m2, "m2", "area of devices on the die");
  group.dimension("heater", column(b.heaters, [](const HeaterBudget& h) { return h.name; }), "1",
                  "kind of heater");
  const auto heater = [&](const char* name, double HeaterBudget::*member, const char* long_name) {
    group.dataset(name, {"heater"}, column(b.heaters, [=](const HeaterBudget& h) { return h.*member; }), "W",
                  long_name);
  };
  heater("pi_power", &HeaterBudget::pi_power_w, "heater power for a phase of pi");
  heater("heater_power", &HeaterBudget::power_w,
         "power of all heaters at the programmed phases, without static phases");
  heater("heater_power_trimmed", &HeaterBudget::trimmed_w,
         "power of all heaters with random static phases trimmed");
  heater("heater_power_estimate", &HeaterBudget::estimate_w, "power of all heaters at mean phases");
  std::vector<std::int64_t> digits(b.answers.size());
  std::iota(digits.begin(), digits.end(), std::int64_t{0});
  group.dimension("answer", digits, "1", "digit of the answer, most significant first");
  group.dataset("answer_columns", {"answer"},
                column(b.answers, [](const BudgetAnswer& a) { return std::int64_t{a.columns}; }), "1",
                "MZIs in series on the critical path of the digit");
  group.dataset("answer_conversions", {"answer"},
                column(b.answers, [](const BudgetAnswer& a) { return std::int64_t{a.conversions}; }), "1",
                "optical-electrical-optical conversions on the critical path of the digit");
  group.dataset("answer_loss", {"answer"}, column(b.answers, [](const BudgetAnswer& a) { return a.loss_db; }),
                "dB", "loss on the critical path of the digit, without gain");
  group.dataset("answer_delay", {"answer"}, column(b.answers, [](const BudgetAnswer& a) { return a.delay_s; }),
                "s", "delay on the critical path of the digit");
  group.dataset("answer_received", {"answer"},
                column(b.answers, [](const BudgetAnswer& a) { return a.received_w; }), "W",
                "signal power of digit 3 on a server's receiver");
  const auto scalar = [&](const char* name, double value, const char* unit, const char* long_name) {
    group.dataset(name, {}, std::vector<double>{value}, unit, long_name);
  };
  scalar("longest_wait", b.longest_wait.wait_s, "s", "longest wait of light in delay lines");
  scalar("longest_wait_length", b.longest_wait.line_m, "m", "length of the delay line for that wait");
  scalar("longest_wait_loss", b.longest_wait.loss_db, "dB", "loss of the delay line for that wait");
  scalar("launch_delay", b.launch_delay_s, "s", "time from the first to the last digit leaving the servers");
  scalar("passive_received", b.passive_received_dbm, "dBm", "power that a server would receive without gain");
  scalar("laser_optical", b.laser_optical_w, "W", "optical power of all lasers");
  scalar("mesh_area", b.mesh_area_m2, "m2", "area of the bounding boxes of all meshes");
  scalar("die_area", b.die_area_m2, "m2",
         "area of meshes placed in rows, delay lines, modulators and receivers");
  scalar("die_heat", b.die_heat_w, "W",
         "heat of heaters (static phases trimmed), receivers, drivers and clocks");
  scalar("die_rise", b.die_rise_k, "K", "temperature rise of the die above ambient with that heat");
  scalar("symbol_rate", b.symbol_rate_bd, "Bd", "symbols per second on every lane");
  scalar("symbol_rate_limit", b.symbol_rate_limit_bd, "Bd",
         "upper bound on the symbol rate, from one receiver and one modulator");
  scalar("energy_per_bit", b.energy_per_bit_j(), "J",
         "energy per bit of all servers' codes, if the chip decodes at symbol_rate; NaN if symbol_rate exceeds "
         "the bound");
  scalar("receiver_bandwidth", b.receiver_bandwidth_hz, "Hz", "3 dB bandwidth of every receiver");
}

}  // namespace optinc
