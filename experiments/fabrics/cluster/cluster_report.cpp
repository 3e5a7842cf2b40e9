#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "experiments/base/text_table.hpp"
#include "experiments/fabrics/cluster/cluster_list.hpp"
#include "experiments/fabrics/cluster/cluster_rows.hpp"
#include "experiments/files/hdf5/table_column.hpp"

namespace optinc {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<TableColumn<TestbedResult>, 13> testbed_columns = {{
    {"bytes", "byte", "MB", 1e-6, "gradient size per node", [](const TestbedResult& r) { return r.bytes; }},
    {"ideal_s", "s", "ideal ms", 1e3, "exchange time on an ideal switch: non-blocking, without control",
     [](const TestbedResult& r) { return r.ideal_s; }},
    {"exchange_s", "s", "exchange ms", 1e3, "exchange time over the control protocol",
     [](const TestbedResult& r) { return r.run.end_s; }},
    {"ratio", "1", "ratio", 1, "exchange time over that on the ideal switch",
     [](const TestbedResult& r) { return r.ratio(); }},
    {"limit_tuning_s", "s", "2 % at us", 1e6,
     "largest tuning time at which the exchange stays within 2 % of the ideal switch; NaN: none",
     [](const TestbedResult& r) { return r.limit_s; }},
    {"messages", "1", "messages", 1, "messages on the control channel",
     [](const TestbedResult& r) { return static_cast<double>(r.run.messages); }, true},
    {"requests", "1", "", 1, "messages that request a circuit",
     [](const TestbedResult& r) { return static_cast<double>(r.run.requests); }, true},
    {"refusals", "1", "refused", 1, "requests that were refused",
     [](const TestbedResult& r) { return static_cast<double>(r.run.refusals); }, true},
    {"circuits", "1", "circuits", 1, "circuits set up; under round-robin, slots that carried bytes",
     [](const TestbedResult& r) { return static_cast<double>(r.run.circuits); }, true},
    {"flows", "1", "", 1, "flows of all steps and buckets",
     [](const TestbedResult& r) { return static_cast<double>(r.run.flows.size()); }, true},
    {"control_s", "s", "control us", 1e6, "mean wait of a flow from ready to its first byte",
     [](const TestbedResult& r) { return r.run.control_s; }},
    {"overhead_s", "s", "", 1, "exchange time beyond that on the ideal switch",
     [](const TestbedResult& r) { return r.run.end_s - r.ideal_s; }},
    {"lost_s", "s", "lost us", 1e6, "time lost to failed transceivers",
     [](const TestbedResult& r) { return r.lost_s; }},
}};

constexpr std::array<TableColumn<LightPathsResult>, 21> light_columns = {{
    {"groups", "1", "groups", 1, "groups of nodes",
     [](const LightPathsResult& r) { return static_cast<double>(r.groups); }, true},
    {"wavelengths", "1", "channels", 1, "wavelength channels per fibre",
     [](const LightPathsResult& r) { return static_cast<double>(r.wavelengths); }, true},
    {"passes", "1", "passes", 1, "wavelength-selective switches on a path between groups",
     [](const LightPathsResult& r) { return static_cast<double>(r.path.passes); }, true},
    {"wavelength_switches", "1", "switches", 1, "wavelength-selective switches of all groups and fibres",
     [](const LightPathsResult& r) { return static_cast<double>(r.modules.wavelength_switches); }, true},
    {"amplifiers", "1", "amplifiers", 1, "optical amplifiers of all groups and fibres",
     [](const LightPathsResult& r) { return static_cast<double>(r.modules.amplifiers); }, true},
    {"channel_dbm", "1", "", 1, "power per channel after an amplifier, dBm",
     [](const LightPathsResult& r) { return r.path.channel_dbm; }},
    {"received_dbm", "1", "received dBm", 1, "mean power at the receiver, including filter narrowing, dBm",
     [](const LightPathsResult& r) { return r.path.received_dbm; }},
    {"sensitivity_dbm", "1", "", 1,
     "mean power that a receiver needs besides noise and crosstalk of the path, dBm; NaN: none suffices",
     [](const LightPathsResult& r) { return r.path.sensitivity_dbm; }},
    {"power_margin_db", "dB", "power dB", 1, "received power above the sensitivity",
     [](const LightPathsResult& r) { return r.path.power_margin_db(); }},
    {"osnr_db", "dB", "OSNR dB", 1, "optical signal-to-noise ratio in 12.5 GHz, including filter narrowing",
     [](const LightPathsResult& r) { return r.path.osnr_db; }},
    {"path_crosstalk_db", "dB", "crosstalk dB", 1, "crosstalk of all passes relative to the signal",
     [](const LightPathsResult& r) { return r.path.crosstalk_db; }},
    {"path_bandwidth_hz", "Hz", "GHz", 1e-9, "3 dB width of all passbands in series",
     [](const LightPathsResult& r) { return r.path.bandwidth_hz; }},
    {"narrowing_db", "dB", "narrowing dB", 1, "signal power lost to filter narrowing",
     [](const LightPathsResult& r) { return r.path.narrowing_db; }},
    {"path_bit_error_rate", "1", "", 1, "bit error rate due to amplifier noise, crosstalk and the receiver",
     [](const LightPathsResult& r) { return r.path.bit_error_rate; }},
    {"noise_margin_db", "dB", "noise dB", 1,
     "noise and crosstalk that a noiseless receiver would tolerate over the actual level",
     [](const LightPathsResult& r) { return r.path.noise_margin_db; }},
    {"reaches", "1", "reaches", 1,
     "1 if the power suffices and the passbands in series are at least as wide as the symbol rate",
     [](const LightPathsResult& r) { return r.path.reaches() ? 1.0 : 0.0; }, true},
    {"reach_passes", "1", "reach", 1, "largest number of passes at which a path works",
     [](const LightPathsResult& r) { return static_cast<double>(r.reach_passes); }, true},
    {"reach_nodes", "1", "", 1, "nodes that can be connected with that many passes",
     [](const LightPathsResult& r) { return r.reach_nodes; }},
    {"connections", "1", "", 1, "connections between groups in all draws",
     [](const LightPathsResult& r) { return static_cast<double>(r.connections); }, true},
    {"blocked_first_fit", "1", "blocked", 1, "share of connections without a wavelength, assigned one by one",
     [](const LightPathsResult& r) { return r.blocked_first_fit; }},
    {"blocked_rearranged", "1", "anew", 1, "the same if all may be reassigned, upper bound",
     [](const LightPathsResult& r) { return r.blocked_rearranged; }},
}};

constexpr std::array<TableColumn<CompetitionResult>, 19> competition_columns = {{
    {"job_nodes", "1", "job", 1, "nodes of the job in question",
     [](const CompetitionResult& r) { return static_cast<double>(r.job_nodes); }, true},
    {"tenants", "1", "tenants", 1, "other jobs on the cluster",
     [](const CompetitionResult& r) { return static_cast<double>(r.tenants); }, true},
    {"oddl_s", "s", "ODDL ms", 1e3, "iteration time on ODDL",
     [](const CompetitionResult& r) { return r.oddl.iteration_s; }},
    {"fat_tree_s", "s", "", 1, "iteration time on the fat-tree",
     [](const CompetitionResult& r) { return r.fat_tree.iteration_s; }},
    {"sip_ring_s", "s", "", 1, "iteration time on SiP-Ring",
     [](const CompetitionResult& r) { return r.sip_ring.iteration_s; }},
    {"adding_fat_tree_s", "s", "", 1, "iteration time on a fat-tree whose switches add gradients",
     [](const CompetitionResult& r) { return r.adding_fat_tree.iteration_s; }},
    {"optinc_s", "s", "", 1, "iteration time on OptINC; NaN: it does not serve the job",
     [](const CompetitionResult& r) { return r.optinc.iteration_s; }},
    {"fat_tree_ratio", "1", "fat-tree", 1, "iteration time on the fat-tree over that on ODDL",
     [](const CompetitionResult& r) { return r.ratio(r.fat_tree); }},
    {"sip_ring_ratio", "1", "SiP-Ring", 1, "iteration time on SiP-Ring over that on ODDL",
     [](const CompetitionResult& r) { return r.ratio(r.sip_ring); }},
    {"adding_fat_tree_ratio", "1", "adding", 1,
     "iteration time on a fat-tree whose switches add gradients over that on ODDL",
     [](const CompetitionResult& r) { return r.ratio(r.adding_fat_tree); }},
    {"optinc_ratio", "1", "OptINC", 1,
     "iteration time on OptINC over that on ODDL; NaN: it does not serve the job",
     [](const CompetitionResult& r) { return r.ratio(r.optinc); }},
    {"coupled", "1", "coupled", 1, "share of the jobs that slow each other down on the fat-tree",
     [](const CompetitionResult& r) { return r.coupled; }},
    {"oddl_j", "J", "ODDL J", 1, "energy of an iteration on ODDL",
     [](const CompetitionResult& r) { return r.oddl.energy_j; }},
    {"fat_tree_j", "J", "fat-tree J", 1, "energy of an iteration on the fat-tree",
     [](const CompetitionResult& r) { return r.fat_tree.energy_j; }},
    {"sip_ring_j", "J", "SiP-Ring J", 1, "energy of an iteration on SiP-Ring",
     [](const CompetitionResult& r) { return r.sip_ring.energy_j; }},
    {"adding_fat_tree_j", "J", "adding J", 1,
     "energy of an iteration on a fat-tree whose switches add gradients",
     [](const CompetitionResult& r) { return r.adding_fat_tree.energy_j; }},
    {"optinc_j", "J", "OptINC J", 1, "energy of an iteration on OptINC; NaN: it does not serve the job",
     [](const CompetitionResult& r) { return r.optinc.energy_j; }},
    {"oddl_optics_j", "J", "ODDL's light J", 1,
     "energy of an iteration on ODDL in wavelength-selective switches and amplifiers, part of oddl_j",
     [](const CompetitionResult& r) { return r.oddl.optics_j; }},
    {"optinc_optics_j", "J", "OptINC's light J", 1,
     "energy of an iteration on OptINC in the fibre switch, part of optinc_j; NaN: it does not serve the job",
     [](const CompetitionResult& r) { return r.optinc.optics_j; }},
}};

constexpr std::array<TableColumn<IterationAnswer>, 11> iteration_columns = {{
    {"ranks", "1", "ranks", 1, "ranks of the job",
     [](const IterationAnswer& r) { return static_cast<double>(r.ranks); }, true},
    {"iteration_s", "s", "total ms", 1e3, "iteration time",
     [](const IterationAnswer& r) { return r.run.iteration_s; }},
    {"without_s", "s", "without ms", 1e3, "iteration time if communication took no time",
     [](const IterationAnswer& r) { return r.without_s; }},
    {"compute_s", "s", "compute ms", 1e3, "compute time of the rank that computes longest",
     [](const IterationAnswer& r) { return r.run.compute_s; }},
    {"idle", "1", "idle", 1, "share of the iteration in which that rank does not compute",
     [](const IterationAnswer& r) { return r.idle(); }},
    {"sent_bytes", "byte", "GB", 1e-9, "bytes sent by all ranks",
     [](const IterationAnswer& r) { return r.run.sent_bytes; }},
    {"energy_j", "J", "J", 1, "energy of an iteration in the network",
     [](const IterationAnswer& r) { return r.energy.total_j(); }},
    {"optics_j", "J", "light J", 1,
     "energy of an iteration in wavelength-selective switches and amplifiers (ODDL) or the fibre switch "
     "(OptINC), part of energy_j",
     [](const IterationAnswer& r) { return r.energy.optics_j + r.energy.circuits_j; }},
    {"steps", "1", "", 1, "steps of all ranks",
     [](const IterationAnswer& r) { return static_cast<double>(r.run.steps); }, true},
    {"operations", "1", "operations", 1, "collectives and messages",
     [](const IterationAnswer& r) { return static_cast<double>(r.run.operations); }, true},
    {"events", "1", "", 1, "events simulated",
     [](const IterationAnswer& r) { return static_cast<double>(r.run.events); }, true},
}};

constexpr std::array<TableColumn<DayResult>, 16> day_columns = {{
    {"arrived", "1", "arrived", 1, "jobs", [](const DayResult& r) { return static_cast<double>(r.arrived); },
     true},
    {"started", "1", "", 1, "jobs that started",
     [](const DayResult& r) { return static_cast<double>(r.started); }, true},
    {"finished", "1", "finished", 1, "jobs that finished",
     [](const DayResult& r) { return static_cast<double>(r.finished); }, true},
    {"refused", "1", "refused", 1,
     "jobs that were too large for the network, or needed more wavelengths than there are",
     [](const DayResult& r) { return static_cast<double>(r.refused); }, true},
    {"utilisation", "1", "used", 1, "node-seconds used by jobs over those of the cluster",
     [](const DayResult& r) { return r.utilisation; }},
    {"mean_wait_s", "s", "wait s", 1, "mean time in the queue; for jobs that never started, until the end",
     [](const DayResult& r) { return r.mean_wait_s; }},
    {"mean_stretch", "1", "stretch", 1,
     "iteration time over that on an ideal network, mean weighted by node-seconds of jobs on two or more nodes",
     [](const DayResult& r) { return r.mean_stretch; }},
    {"worst_stretch", "1", "worst", 1, "largest stretch of any job at any time",
     [](const DayResult& r) { return r.worst_stretch; }},
    {"iterations", "1", "iterations", 1, "iterations of all jobs",
     [](const DayResult& r) { return r.iterations; }},
    {"sent_bytes", "byte", "", 1, "bytes sent by all nodes", [](const DayResult& r) { return r.sent_bytes; }},
    {"epochs", "1", "", 1, "changes of the set of jobs on the network",
     [](const DayResult& r) { return static_cast<double>(r.epochs); }, true},
    {"coupled_epochs", "1", "coupled", 1, "changes after which some jobs were simulated together",
     [](const DayResult& r) { return static_cast<double>(r.coupled_epochs); }, true},
    {"events", "1", "events", 1, "events simulated; all other iterations were advanced at once",
     [](const DayResult& r) { return static_cast<double>(r.events); }, true},
    {"peak_flows", "1", "flows", 1, "largest number of simultaneous flows",
     [](const DayResult& r) { return static_cast<double>(r.peak_flows); }, true},
    {"delayed", "1", "delayed", 1, "jobs that waited for wavelengths between groups (ODDL)",
     [](const DayResult& r) { return static_cast<double>(r.delayed); }, true},
    {"blocked", "1", "blocked", 1, "attempts to start a job that failed for lack of wavelengths (ODDL)",
     [](const DayResult& r) { return static_cast<double>(r.blocked); }, true},
}};

constexpr std::array<TableColumn<FailureResult>, 11> failure_columns = {{
    {"before_s", "s", "before ms", 1e3, "iteration time before the failure",
     [](const FailureResult& r) { return r.before_s; }},
    {"after_s", "s", "after ms", 1e3, "iteration time after it; NaN: the job ends",
     [](const FailureResult& r) { return r.after_s; }},
    {"nodes_after", "1", "nodes", 1, "nodes of the job after it",
     [](const FailureResult& r) { return static_cast<double>(r.nodes_after); }, true},
    {"ratio", "1", "", 1, "iteration time after the failure over that before; NaN: the job ends",
     [](const FailureResult& r) { return r.ratio(); }},
    {"slowdown", "1", "slowdown", 1,
     "time for as many samples after the failure over that before; NaN: the job ends",
     [](const FailureResult& r) { return r.slowdown(); }},
    {"kept_buckets", "1", "", 1, "buckets of the iteration whose sum was complete",
     [](const FailureResult& r) { return static_cast<double>(r.kept_buckets); }, true},
    {"found_s", "s", "found s", 1, "time until the failure was found; 0: the job does not use the component",
     [](const FailureResult& r) { return r.detection_s; }},
    {"repair_s", "s", "repair s", 1, "time until the job can go on; NaN: it ends",
     [](const FailureResult& r) { return r.repair_s; }},
    {"repeated_s", "s", "repeated s", 1,
     "work done again: the bucket in flight, or all since the last checkpoint",
     [](const FailureResult& r) { return r.repeated_s; }},
    {"lost_s", "s", "lost s", 1, "detection, repair and repeated work; NaN: the job ends",
     [](const FailureResult& r) { return r.lost_s(); }},
    {"goes_on", "1", "goes on", 1, "1 if the job goes on without the component in place",
     [](const FailureResult& r) { return r.goes_on() ? 1.0 : 0.0; }, true},
}};

/// A key's value as a table shows it.
std::string shown_value(const FieldValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{:g}", *number);
  return toml_text(value);
}

template <class Question>
std::vector<FieldEntry> fields_of(const Question& question) {
  std::vector<FieldEntry> fields;
  visit_rows(question, [&](const Row& info, const auto& member) {
    fields.push_back({"", info, to_field_value(member)});
  });
  return fields;
}

/// Rows with the keys in which they differ, and their shown columns.
template <class Rows, class Columns>
std::string table_of(std::string_view heading, const Rows& rows, const Columns& columns,
                     std::string_view note) {
  if (rows.empty()) return "";
  const std::vector<FieldEntry> first = fields_of(rows[0].question);
  std::vector<std::size_t> varied = {0};  // the name always
  for (std::size_t k = 1; k < first.size(); ++k)
    if (std::any_of(rows.begin(), rows.end(),
                    [&](const auto& row) { return fields_of(row.question)[k].value != first[k].value; }))
      varied.push_back(k);
  std::vector<TextColumn> headings;
  for (const std::size_t k : varied)
    headings.push_back({std::string(first[k].info.key),
                        std::holds_alternative<std::string>(first[k].value) ? Align::left : Align::right});
  for (const auto& column : columns)
    if (column.shown()) headings.push_back({column.heading});
  std::vector<std::vector<std::string>> cells;
  for (const auto& row : rows) {
    std::vector<std::string>& line = cells.emplace_back();
    const std::vector<FieldEntry> fields = fields_of(row.question);
    for (const std::size_t k : varied) line.push_back(shown_value(fields[k].value));
    for (const auto& column : columns) {
      if (!column.shown()) continue;
      const double x = column.scale * column.of(row.answer);
      line.push_back(std::isnan(x) ? "-" : column.counts ? fmt::format("{:.0f}", x) : fmt::format("{:.4g}", x));
    }
  }
  return fmt::format("\n{}\n{}{}", heading,
                     text_table(headings, cells, std::min<std::size_t>(varied.size(), 4)),
                     hanging_text("", note, 2));
}

template <class Rows, class Columns>
Json json_of(const Rows& rows, const Columns& columns) {
  Json all = Json::array();
  for (const auto& row : rows) {
    Json line;
    for (const FieldEntry& f : fields_of(row.question))
      std::visit([&](const auto& value) { line[std::string(f.info.key)] = value; }, f.value);
    for (const auto& column : columns) line[column.name] = column.json(row.answer);
    all.push_back(std::move(line));
  }
  return all;
}

template <class Rows, class Columns>
void write_rows(const Group& root, const char* name, const Rows& rows, const Columns& columns) {
  if (rows.empty()) return;
  const Group group = root.group(name);
  group.counting_dimension("row", rows.size(), "row, in the order of the list and of its values");
  std::vector<std::vector<FieldEntry>> fields;
  for (const auto& row : rows) fields.push_back(fields_of(row.question));
  for (std::size_t k = 0; k < fields[0].size(); ++k) {
    const Row& info = fields[0][k].info;
    const auto put = [&](auto convert) {
      std::vector<decltype(convert(FieldValue()))> values;
      for (const auto& row : fields) values.push_back(convert(row[k].value));
      group.dataset(info.key, {"row"}, values, info.unit,
                    info.source.empty() ? std::string(info.meaning)
                                        : fmt::format("{}; source: {}", info.meaning, info.source));
    };
    const FieldValue& type = fields[0][k].value;
    if (std::holds_alternative<bool>(type))
      put([](const FieldValue& v) { return static_cast<std::uint8_t>(std::get<bool>(v) ? 1 : 0); });
    else if (std::holds_alternative<std::int64_t>(type))
      put([](const FieldValue& v) { return std::get<std::int64_t>(v); });
    else if (std::holds_alternative<double>(type))
      put([](const FieldValue& v) { return std::get<double>(v); });
    else
      put([](const FieldValue& v) { return shown_value(v); });
  }
  write_columns(
      group, "row", columns, rows.size(), [&](std::size_t i) -> const auto& { return rows[i].answer; });
}

}  // namespace

std::string cluster_text(const ClusterResults& all) {
  return hanging_text("Clusters:", all.title, 10) +
         table_of("Exchange of a gradient over the control protocol", all.testbeds, testbed_columns,
                  "ratio: over a non-blocking switch that needs no control; 2 % at: the largest tuning time at "
                  "which the exchange stays within 2 % of that switch; control: mean wait of a flow for its "
                  "first byte.") +
         table_of(
             "Light from group to group", all.light_paths, light_columns,
             "power: margin above what the bit error rate needs with all noise together; noise: margin for "
             "noise and crosstalk if the receiver had none; reach: most switch passes that work; blocked: "
             "share of connections without a wavelength, assigned one by one; anew: the same if all may be "
             "reassigned.") +
         table_of(
             "One job on several networks", all.competitions, competition_columns,
             "fat-tree, SiP-Ring, adding, OptINC: iteration time over that on ODDL. adding: the switches of "
             "the fat-tree add gradients; OptINC sends codes of its unit's bits, the others 32 bits; -: it "
             "does not serve so many nodes. coupled: share of the jobs that slow each other down on the "
             "fat-tree; J: energy of an iteration, control messages not counted; light: the part of it in "
             "wavelength-selective switches and amplifiers, or in the fibre switch. No parameter was chosen "
             "to reproduce a published ratio.") +
         table_of(
             "Iterations of one job, step by step", all.iterations, iteration_columns,
             "without: if communication took no time; compute: of the rank that computes longest; idle: share "
             "of the iteration in which it does not; J: energy of the iteration in the network, light: the "
             "part of "
             "it in what switches and amplifies light; operations: collectives and messages.") +
         table_of("Days of a cluster", all.days, day_columns,
                  "stretch: iteration time over that on an ideal network, weighted by node-seconds of jobs on "
                  "two or more nodes; coupled: changes of the set of jobs after which some had to be simulated "
                  "together; delayed: jobs that waited for wavelengths between groups, blocked: attempts to "
                  "start them that failed.") +
         table_of(
             "A component fails", all.failures, failure_columns,
             "before, after: iteration time; slowdown: time for as many samples after the failure over that "
             "before; lost: found, repair and repeated (the bucket in flight, or all since the last "
             "checkpoint) together; goes on: 1 if the job does; -: it ends.");
}

Json cluster_json(const ClusterResults& all) {
  return {{"title", all.title},
          {"testbeds", json_of(all.testbeds, testbed_columns)},
          {"light_paths", json_of(all.light_paths, light_columns)},
          {"competitions", json_of(all.competitions, competition_columns)},
          {"iterations", json_of(all.iterations, iteration_columns)},
          {"days", json_of(all.days, day_columns)},
          {"failures", json_of(all.failures, failure_columns)}};
}

void write_clusters(const Group& root, const ClusterResults& all) {
  write_rows(root, "testbeds", all.testbeds, testbed_columns);
  write_rows(root, "light_paths", all.light_paths, light_columns);
  write_rows(root, "competitions", all.competitions, competition_columns);
  write_rows(root, "iterations", all.iterations, iteration_columns);
  write_rows(root, "days", all.days, day_columns);
  write_rows(root, "failures", all.failures, failure_columns);
}

}  // namespace optinc
