#include "experiments/fabrics/cluster/cluster_list.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "experiments/base/shipped_files.hpp"
#include "experiments/fabrics/cluster/cluster_rows.hpp"
#include "experiments/fabrics/interconnect/list_reader.hpp"
#include "experiments/fabrics/interconnect/units.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

/// Adds the rows that a table [[KIND]] stands for.
template <class Question, class Answer>
void add_rows(ListSource& in, const TableReader& table, std::vector<AnsweredRow<Question, Answer>>& rows) {
  for (Question& row : read_rows<Question>(in, table, "optinc cluster --keys", rows.size()))
    rows.push_back({std::move(row), {}});
}

/// A day as the engine takes it.
DaySettings settings_of(const ClusterDay& d, const std::filesystem::path& folder) {
  DaySettings day = d.day;
  const Scenario& s = day.traffic.network;
  day.traffic.network.name = d.name;
  if (s.network != "oddl") day.setup_s = 0.0;
  day.seed = static_cast<std::uint64_t>(s.seed);
  const auto nodes = static_cast<int>(s.servers);
  day.jobs = d.jobs.empty() ? helios_like_jobs(nodes, d.load, day.horizon_s, day.seed)
                            : read_jobs(folder / d.jobs, nodes);
  for (const TrainingJob& job : day.jobs)
    for (const std::string& collective : day.collectives)
      if (job.size > 1) check_collective_size(collective, job.size, d.name);
  return day;
}

/// Fills in the cost of OptINC's units where rows need it.
void cost_rows(ClusterResults& all, const std::filesystem::path& shipped, const TrainedNetwork& trained) {
  std::vector<Scenario*> scenarios;
  const auto add = [&](Scenario& s, const std::string& name) {
    s.name = name;
    if (!s.designs.empty()) s.designs = shipped_or_own("lists", s.designs, all.folder).string();
    scenarios.push_back(&s);
  };
  for (auto& row : all.competitions) add(row.question.traffic.network, row.question.name);
  for (auto& row : all.iterations)
    if (row.question.traffic.network.network == "optinc") add(row.question.traffic.network, row.question.name);
  for (auto& row : all.days)
    if (row.question.day.traffic.network.network == "optinc")
      add(row.question.day.traffic.network, row.question.name);
  for (auto& row : all.failures)
    if (row.question.traffic.network.network == "optinc") add(row.question.traffic.network, row.question.name);
  cost_units(scenarios, shipped, trained);
}

template <class Question>
std::string keys_of(std::string_view kind) {
  return fmt::format("[[{}]]\n", kind) + keys_text<Question>(2);
}

}  // namespace

ClusterResults load_cluster_list(const std::filesystem::path& path) {
  ListSource in{{path.string()}};
  const toml::table table = parse_toml(read_toml_file(path, "a list of clusters is a TOML file"), in.source);
  const TableReader top{table, in.source};
  top.only({"title", "preset", "testbed", "light_paths", "competition", "iteration", "day", "failure"});
  ClusterResults list;
  list.folder = path.parent_path();
  top.take({"title", "1", ""}, list.title);
  take_presets(in, table);
  for (const TableReader& r : top.tables("testbed")) add_rows(in, r, list.testbeds);
  for (const TableReader& r : top.tables("light_paths")) add_rows(in, r, list.light_paths);
  for (const TableReader& r : top.tables("competition")) add_rows(in, r, list.competitions);
  for (const TableReader& r : top.tables("iteration")) add_rows(in, r, list.iterations);
  for (const TableReader& r : top.tables("day")) add_rows(in, r, list.days);
  for (const TableReader& r : top.tables("failure")) add_rows(in, r, list.failures);
  validate(list.rows() > 0,
           "{}: nothing to compute (tables [[testbed]], [[light_paths]], [[competition]], [[iteration]], "
           "[[day]], [[failure]]). "
           "Add one.",
           path.string());
  for (const auto& row : list.iterations) check_iteration(row.question, list.folder);
  for (const auto& row : list.days)  // refuses a table of jobs before the work
    if (!row.question.jobs.empty()) settings_of(row.question, list.folder);
  for (const auto& row : list.failures) check_failure(row.question);
  return list;
}

void solve_cluster_list(ClusterResults& all, const std::filesystem::path& shipped,
                        const TrainedNetwork& trained, const std::function<void(const std::string&)>& at_each,
                        const std::function<void()>& while_solving) {
  cost_rows(all, shipped, trained);
  const auto solve = [&](auto& rows, auto&& answer) {
    for (auto& row : rows) {
      if (at_each) at_each(row.question.name);
      try {
        row.answer = answer(row.question);
      } catch (const Error& error) {
        const std::string text = error.what(), name = row.question.name + ": ";
        throw Error(text.starts_with(name) ? text : name + text);
      }
    }
  };
  solve(all.testbeds, run_testbed);
  solve(all.light_paths, solve_light_paths);
  solve(all.competitions, run_competition);
  solve(all.iterations, [&](const Iteration& i) { return run_iteration(i, all.folder, while_solving); });
  for (auto& row : all.iterations)
    if (!row.question.trace.empty()) row.question.training.workload.clear();  // nothing says what was traced
  solve(all.days, [&](const ClusterDay& d) {
    return run_day(settings_of(d, all.folder), [&](double) {
      if (while_solving) while_solving();
    });
  });
  solve(all.failures, run_failure);
}

std::string cluster_keys_text() {
  return keys_of<Testbed>("testbed") + keys_of<LightPaths>("light_paths") +
         keys_of<Competition>("competition") + keys_of<Iteration>("iteration") + keys_of<ClusterDay>("day") +
         keys_of<Failure>("failure");
}

}  // namespace optinc
