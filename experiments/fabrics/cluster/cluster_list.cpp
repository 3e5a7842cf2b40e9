#include "experiments/fabrics/cluster/cluster_list.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "experiments/base/shipped_files.hpp"
#include "experiments/base/text_table.hpp"
#include "experiments/fabrics/cluster/cluster_rows.hpp"
#include "experiments/fabrics/interconnect/units.hpp"
#include "experiments/study/table_reader.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

constexpr std::size_t most_rows = 10000;

template <class Question>
void set_key(Question& row, std::string_view key, const toml::node& value, const std::string& where) {
  visit_rows(row, [&](const Row& info, auto& member) {
    if (info.key != key) return;
    // a text that may be empty is no field of a study: checked_value would refuse it
    if constexpr (std::is_same_v<std::decay_t<decltype(member)>, std::string>)
      if (info.names.empty() && value.is_string() && value.as_string()->get().empty()) return member.clear();
    from_field_value(member, checked_value({"", info, to_field_value(member)}, value, where));
  });
}

/// The values that a key's node stands for: of a key whose value is no list itself, the elements of a list.
template <class Question>
std::vector<const toml::node*> values_of(const Question& row, std::string_view key, const toml::node& node) {
  bool list = false;
  visit_rows(row, [&](const Row& info, const auto& member) {
    if (info.key == key) list = to_field_value(member).index() > 3;
  });
  if (list || !node.is_array()) return {&node};
  std::vector<const toml::node*> values;
  for (const toml::node& inner : *node.as_array()) values.push_back(&inner);
  return values;
}

/// A row for every combination of the values that the table lists.
template <class Question, class Answer>
void read_rows(const TableReader& reader, std::vector<AnsweredRow<Question, Answer>>& rows) {
  std::vector<std::string_view> keys;
  const Question defaults;
  visit_rows(defaults, [&](const Row& info, const auto&) { keys.push_back(info.key); });
  reader.only(keys, "optinc cluster --keys");
  reader.need("name");
  std::vector<Question> all(1);
  for (const std::string_view key : keys) {
    const toml::node* node = reader.table.get(key);
    if (node == nullptr) continue;
    const auto values = values_of(all[0], key, *node);
    validate(!values.empty(), "{} = [] (one value or more). Leave it out, or name a value.",
             reader.at(*node, key));
    std::vector<Question> next;
    for (const Question& row : all)
      for (const toml::node* value : values) {
        next.push_back(row);
        set_key(next.back(), key, *value, reader.at(*value, key));
      }
    validate(rows.size() + next.size() < most_rows,
             "{}: {} rows or more (fewer than {} are allowed). List fewer values.", reader.at(*node, key),
             most_rows, most_rows);
    all = std::move(next);
  }
  for (Question& row : all) rows.push_back({std::move(row), {}});
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
void keys_of(std::string& text, std::string_view kind) {
  text += fmt::format("[[{}]]\n", kind);
  const Question defaults;
  visit_rows(defaults, [&](const Row& info, const auto& member) {
    const FieldValue value = to_field_value(member);
    text += fmt::format("  {} = {} [{}]\n", info.key, toml_text(value), info.unit) +
            hanging_text("", fmt::format("{}; {}", info.meaning, expected_text(info, value)), 6);
    if (!info.source.empty()) text += hanging_text("", fmt::format("source: {}", info.source), 6);
  });
}

}  // namespace

ClusterResults load_cluster_list(const std::filesystem::path& path) {
  const TomlSource source{path.string()};
  const toml::table table = parse_toml(read_toml_file(path, "a list of clusters is a TOML file"), source);
  const TableReader top{table, source};
  top.only({"title", "testbed", "light_paths", "competition", "iteration", "day", "failure"});
  ClusterResults list;
  list.folder = path.parent_path();
  top.take({"title", "1", ""}, list.title);
  for (const TableReader& r : top.tables("testbed")) read_rows(r, list.testbeds);
  for (const TableReader& r : top.tables("light_paths")) read_rows(r, list.light_paths);
  for (const TableReader& r : top.tables("competition")) read_rows(r, list.competitions);
  for (const TableReader& r : top.tables("iteration")) read_rows(r, list.iterations);
  for (const TableReader& r : top.tables("day")) read_rows(r, list.days);
  for (const TableReader& r : top.tables("failure")) read_rows(r, list.failures);
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
  std::string text;
  keys_of<Testbed>(text, "testbed");
  keys_of<LightPaths>(text, "light_paths");
  keys_of<Competition>(text, "competition");
  keys_of<Iteration>(text, "iteration");
  keys_of<ClusterDay>(text, "day");
  keys_of<Failure>(text, "failure");
  return text;
}

}  // namespace optinc
