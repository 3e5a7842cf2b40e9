#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "experiments/base/text_table.hpp"
#include "experiments/fabrics/cluster/cluster_list.hpp"
#include "experiments/fabrics/cluster/cluster_rows.hpp"
#include "experiments/fabrics/interconnect/key_columns.hpp"

namespace optinc {
namespace {

using Json = nlohmann::ordered_json;

const std::vector<TableColumn<TestbedResult>> testbed_columns = {
    {"bytes", "byte", "gradient size per node", &TestbedResult::bytes, "MB", 1e-6},
    {"ideal_s", "s", "exchange time on an ideal switch: non-blocking, without control", &TestbedResult::ideal_s,
     "ideal ms", 1e3},
    {"exchange_s", "s", "exchange time over the control protocol", [](const auto& r) { return r.run.end_s; },
     "exchange ms", 1e3},
    {"ratio", "1", "exchange time over that on the ideal switch", &TestbedResult::ratio, "ratio"},
    {"limit_tuning_s", "s",
     "largest tuning time at which the exchange stays within 2 % of the ideal switch; NaN: none",
     &TestbedResult::limit_s, "2 % at us", 1e6},
    {"messages", "1", "messages on the control channel", [](const auto& r) { return r.run.messages; },
     "messages"},
    {"requests", "1", "messages that request a circuit", [](const auto& r) { return r.run.requests; }},
    {"refusals", "1", "requests that were refused", [](const auto& r) { return r.run.refusals; }, "refused"},
    {"circuits", "1", "circuits set up; under round-robin, slots that carried bytes",
     [](const auto& r) { return r.run.circuits; }, "circuits"},
    {"flows", "1", "flows of all steps and buckets", [](const auto& r) { return r.run.flows.size(); }},
    {"control_s", "s", "mean wait of a flow from ready to its first byte",
     [](const auto& r) { return r.run.control_s; }, "control us", 1e6},
    {"overhead_s", "s", "exchange time beyond that on the ideal switch",
     [](const auto& r) { return r.run.end_s - r.ideal_s; }},
    {"lost_s", "s", "time lost to failed transceivers", &TestbedResult::lost_s, "lost us", 1e6},
};

const std::vector<TableColumn<LightPathsResult>> light_columns = {
    {"groups", "1", "groups of nodes", &LightPathsResult::groups, "groups"},
    {"wavelengths", "1", "wavelength channels per fibre", &LightPathsResult::wavelengths, "channels"},
    {"passes", "1", "wavelength-selective switches on a path between groups",
     [](const auto& r) { return r.path.passes; }, "passes"},
    {"wavelength_switches", "1", "wavelength-selective switches of all groups and fibres",
     [](const auto& r) { return r.modules.wavelength_switches; }, "switches"},
    {"amplifiers", "1", "optical amplifiers of all groups and fibres",
     [](const auto& r) { return r.modules.amplifiers; }, "amplifiers"},
    {"channel_dbm", "1", "power per channel after an amplifier, dBm",
     [](const auto& r) { return r.path.channel_dbm; }},
    {"received_dbm", "1", "mean power at the receiver, including filter narrowing, dBm",
     [](const auto& r) { return r.path.received_dbm; }, "received dBm"},
    {"sensitivity_dbm", "1",
     "mean power that a receiver needs besides noise and crosstalk of the path, dBm; NaN: none suffices",
     [](const auto& r) { return r.path.sensitivity_dbm; }},
    {"power_margin_db", "dB", "received power above the sensitivity",
     [](const auto& r) { return r.path.power_margin_db(); }, "power dB"},
    {"osnr_db", "dB", "optical signal-to-noise ratio in 12.5 GHz, including filter narrowing",
     [](const auto& r) { return r.path.osnr_db; }, "OSNR dB"},
    {"path_crosstalk_db", "dB", "crosstalk of all passes relative to the signal",
     [](const auto& r) { return r.path.crosstalk_db; }, "crosstalk dB"},
    {"path_bandwidth_hz", "Hz", "3 dB width of all passbands in series",
     [](const auto& r) { return r.path.bandwidth_hz; }, "GHz", 1e-9},
    {"narrowing_db", "dB", "signal power lost to filter narrowing",
     [](const auto& r) { return r.path.narrowing_db; }, "narrowing dB"},
    {"path_bit_error_rate", "1", "bit error rate due to amplifier noise, crosstalk and the receiver",
     [](const auto& r) { return r.path.bit_error_rate; }},
    {"noise_margin_db", "dB",
     "noise and crosstalk that a noiseless receiver would tolerate over the actual level",
     [](const auto& r) { return r.path.noise_margin_db; }, "noise dB"},
    {"reaches", "1",
     "1 if the power suffices and the passbands in series are at least as wide as the symbol rate",
     [](const auto& r) { return r.path.reaches() ? 1 : 0; }, "reaches"},
    {"reach_passes", "1", "largest number of passes at which a path works", &LightPathsResult::reach_passes,
     "reach"},
    {"reach_nodes", "1", "nodes that can be connected with that many passes", &LightPathsResult::reach_nodes},
    {"connections", "1", "connections between groups in all draws", &LightPathsResult::connections},
    {"blocked_first_fit", "1", "share of connections without a wavelength, assigned one by one",
     &LightPathsResult::blocked_first_fit, "blocked"},
    {"blocked_rearranged", "1", "the same if all may be reassigned, upper bound",
     &LightPathsResult::blocked_rearranged, "anew"},
};

const std::vector<TableColumn<CompetitionResult>> competition_columns = {
    {"job_nodes", "1", "nodes of the job in question", &CompetitionResult::job_nodes, "job"},
    {"tenants", "1", "other jobs on the cluster", &CompetitionResult::tenants, "tenants"},
    {"oddl_s", "s", "iteration time on ODDL", [](const auto& r) { return r.oddl.iteration_s; }, "ODDL ms", 1e3},
    {"fat_tree_s", "s", "iteration time on the fat-tree", [](const auto& r) { return r.fat_tree.iteration_s; }},
    {"sip_ring_s", "s", "iteration time on SiP-Ring", [](const auto& r) { return r.sip_ring.iteration_s; }},
    {"adding_fat_tree_s", "s", "iteration time on a fat-tree whose switches add gradients",
     [](const auto& r) { return r.adding_fat_tree.iteration_s; }},
    {"optinc_s", "s", "iteration time on OptINC; NaN: it does not serve the job",
     [](const auto& r) { return r.optinc.iteration_s; }},
    {"fat_tree_ratio", "1", "iteration time on the fat-tree over that on ODDL",
     [](const auto& r) { return r.ratio(r.fat_tree); }, "fat-tree"},
    {"sip_ring_ratio", "1", "iteration time on SiP-Ring over that on ODDL",
     [](const auto& r) { return r.ratio(r.sip_ring); }, "SiP-Ring"},
    {"adding_fat_tree_ratio", "1",
     "iteration time on a fat-tree whose switches add gradients over that on ODDL",
     [](const auto& r) { return r.ratio(r.adding_fat_tree); }, "adding"},
    {"optinc_ratio", "1", "iteration time on OptINC over that on ODDL; NaN: it does not serve the job",
     [](const auto& r) { return r.ratio(r.optinc); }, "OptINC"},
    {"coupled", "1", "share of the jobs that slow each other down on the fat-tree", &CompetitionResult::coupled,
     "coupled"},
    {"oddl_j", "J", "energy of an iteration on ODDL", [](const auto& r) { return r.oddl.energy_j; }, "ODDL J"},
    {"fat_tree_j", "J", "energy of an iteration on the fat-tree",
     [](const auto& r) { return r.fat_tree.energy_j; }, "fat-tree J"},
    {"sip_ring_j", "J", "energy of an iteration on SiP-Ring", [](const auto& r) { return r.sip_ring.energy_j; },
     "SiP-Ring J"},
    {"adding_fat_tree_j", "J", "energy of an iteration on a fat-tree whose switches add gradients",
     [](const auto& r) { return r.adding_fat_tree.energy_j; }, "adding J"},
    {"optinc_j", "J", "energy of an iteration on OptINC; NaN: it does not serve the job",
     [](const auto& r) { return r.optinc.energy_j; }, "OptINC J"},
    {"oddl_optics_j", "J",
     "energy of an iteration on ODDL in wavelength-selective switches and amplifiers, part of oddl_j",
     [](const auto& r) { return r.oddl.optics_j; }, "ODDL's light J"},
    {"optinc_optics_j", "J",
     "energy of an iteration on OptINC in the fibre switch, part of optinc_j; NaN: it does not serve the job",
     [](const auto& r) { return r.optinc.optics_j; }, "OptINC's light J"},
};

const std::vector<TableColumn<IterationAnswer>> iteration_columns = {
    {"ranks", "1", "ranks of the job", &IterationAnswer::ranks, "ranks"},
    {"iteration_s", "s", "iteration time", [](const auto& r) { return r.run.iteration_s; }, "total ms", 1e3},
    {"without_s", "s", "iteration time if communication took no time", &IterationAnswer::without_s,
     "without ms", 1e3},
    {"compute_s", "s", "compute time of the rank that computes longest",
     [](const auto& r) { return r.run.compute_s; }, "compute ms", 1e3},
    {"idle", "1", "share of the iteration in which that rank does not compute", &IterationAnswer::idle, "idle"},
    {"sent_bytes", "byte", "bytes sent by all ranks", [](const auto& r) { return r.run.sent_bytes; }, "GB",
     1e-9},
    {"energy_j", "J", "energy of an iteration in the network", [](const auto& r) { return r.energy.total_j(); },
     "J"},
    {"optics_j", "J",
     "energy of an iteration in wavelength-selective switches and amplifiers (ODDL) or the fibre switch "
     "(OptINC), part of energy_j",
     [](const auto& r) { return r.energy.optics_j + r.energy.circuits_j; }, "light J"},
    {"steps", "1", "steps of all ranks", [](const auto& r) { return r.run.steps; }},
    {"operations", "1", "collectives and messages", [](const auto& r) { return r.run.operations; },
     "operations"},
    {"events", "1", "events simulated", [](const auto& r) { return r.run.events; }},
};

const std::vector<TableColumn<DayResult>> day_columns = {
    {"arrived", "1", "jobs", &DayResult::arrived, "arrived"},
    {"started", "1", "jobs that started", &DayResult::started},
    {"finished", "1", "jobs that finished", &DayResult::finished, "finished"},
    {"refused", "1", "jobs that were too large for the network, or needed more wavelengths than there are",
     &DayResult::refused, "refused"},
    {"utilisation", "1", "node-seconds used by jobs over those of the cluster", &DayResult::utilisation,
     "used"},
    {"mean_wait_s", "s", "mean time in the queue; for jobs that never started, until the end",
     &DayResult::mean_wait_s, "wait s"},
    {"mean_stretch", "1",
     "iteration time over that on an ideal network, mean weighted by node-seconds of jobs on two or more nodes",
     &DayResult::mean_stretch, "stretch"},
    {"worst_stretch", "1", "largest stretch of any job at any time", &DayResult::worst_stretch, "worst"},
    {"iterations", "1", "iterations of all jobs", &DayResult::iterations, "iterations"},
    {"sent_bytes", "byte", "bytes sent by all nodes", &DayResult::sent_bytes},
    {"epochs", "1", "changes of the set of jobs on the network", &DayResult::epochs},
    {"coupled_epochs", "1", "changes after which some jobs were simulated together", &DayResult::coupled_epochs,
     "coupled"},
    {"events", "1", "events simulated; all other iterations were advanced at once", &DayResult::events,
     "events"},
    {"peak_flows", "1", "largest number of simultaneous flows", &DayResult::peak_flows, "flows"},
    {"delayed", "1", "jobs that waited for wavelengths between groups (ODDL)", &DayResult::delayed, "delayed"},
    {"blocked", "1", "attempts to start a job that failed for lack of wavelengths (ODDL)", &DayResult::blocked,
     "blocked"},
};

const std::vector<TableColumn<FailureResult>> failure_columns = {
    {"before_s", "s", "iteration time before the failure", &FailureResult::before_s, "before ms", 1e3},
    {"after_s", "s", "iteration time after it; NaN: the job ends", &FailureResult::after_s, "after ms", 1e3},
    {"nodes_after", "1", "nodes of the job after it", &FailureResult::nodes_after, "nodes"},
    {"ratio", "1", "iteration time after the failure over that before; NaN: the job ends",
     &FailureResult::ratio},
    {"slowdown", "1", "time for as many samples after the failure over that before; NaN: the job ends",
     &FailureResult::slowdown, "slowdown"},
    {"kept_buckets", "1", "buckets of the iteration whose sum was complete", &FailureResult::kept_buckets},
    {"found_s", "s", "time until the failure was found; 0: the job does not use the component",
     &FailureResult::detection_s, "found s"},
    {"repair_s", "s", "time until the job can go on; NaN: it ends", &FailureResult::repair_s, "repair s"},
    {"repeated_s", "s", "work done again: the bucket in flight, or all since the last checkpoint",
     &FailureResult::repeated_s, "repeated s"},
    {"lost_s", "s", "detection, repair and repeated work; NaN: the job ends", &FailureResult::lost_s, "lost s"},
    {"goes_on", "1", "1 if the job goes on without the component in place",
     [](const auto& r) { return r.goes_on() ? 1 : 0; }, "goes on"},
};

/// Rows with the keys in which they differ, and their shown columns.
template <class Question, class Answer>
std::string table_of(std::string_view heading, const std::vector<AnsweredRow<Question, Answer>>& rows,
                     const std::vector<TableColumn<Answer>>& columns, std::string_view note) {
  if (rows.empty()) return "";
  std::vector<TableColumn<Question>> varied;  // the name always
  for (const auto& key : key_columns<Question>())
    if (varied.empty() || std::ranges::any_of(rows, [&](const auto& row) {
          return key.of(row.question) != key.of(rows[0].question);
        }))
      varied.push_back(key);
  std::vector<TextColumn> headings;
  for (const auto& key : varied)
    headings.push_back({key.heading, std::holds_alternative<std::string>(key.of(rows[0].question))
                                         ? Align::left
                                         : Align::right});
  for (const auto& column : columns)
    if (column.shown()) headings.push_back({column.heading});
  std::vector<std::vector<std::string>> cells;
  for (const auto& row : rows) {
    std::vector<std::string> line;
    for (const auto& key : varied) line.push_back(shown_text(key.of(row.question)));
    for (const auto& column : columns) {
      if (!column.shown()) continue;
      const double x = column.number(row.answer);
      const bool counts = !std::holds_alternative<double>(column.of(row.answer));
      line.push_back(std::isnan(x) ? "-" : counts ? fmt::format("{:.0f}", x) : fmt::format("{:.4g}", x));
    }
    cells.push_back(std::move(line));
  }
  return fmt::format("\n{}\n{}{}", heading,
                     text_table(headings, cells, std::min<std::size_t>(varied.size(), 4)),
                     hanging_text("", note, 2));
}

template <class Question, class Answer>
Json json_of(const std::vector<AnsweredRow<Question, Answer>>& rows,
             const std::vector<TableColumn<Answer>>& columns) {
  Json all = Json::array();
  const auto keys = key_columns<Question>();
  for (const auto& row : rows) {
    all.push_back(json_row(keys, row.question));
    all.back().update(json_row(columns, row.answer));
  }
  return all;
}

template <class Question, class Answer>
void write_rows(const Group& root, const char* name, const std::vector<AnsweredRow<Question, Answer>>& rows,
                const std::vector<TableColumn<Answer>>& columns) {
  if (rows.empty()) return;
  const Group group = root.group(name);
  group.counting_dimension("row", rows.size(), "row, in the order of the list and of its values");
  write_columns(
      group, "row", key_columns<Question>(),
      rows.size(), [&](std::size_t i) -> const auto& { return rows[i].question; });
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
