#include "experiments/fabrics/interconnect/scenario_list.hpp"

#include <algorithm>

#include "experiments/base/shipped_files.hpp"
#include "experiments/base/text_table.hpp"
#include "experiments/fabrics/interconnect/list_source.hpp"
#include "physics/core/check.hpp"
#include "physics/core/names.hpp"
#include "physics/core/suggestion.hpp"

namespace optinc {

namespace {

/// The keys of one table into a scenario, but those in `others`.
void take_fields(const TableReader& r, std::vector<std::string_view> others, Scenario& s) {
  const std::vector<FieldEntry> fields = scenario_fields(s);
  std::vector<std::string_view> known = others;
  for (const FieldEntry& field : fields) known.push_back(field.info.key);
  r.only(known, "optinc interconnect --keys");
  for (const FieldEntry& field : fields) {
    const toml::node* node = r.table.get(field.info.key);
    if (node == nullptr || std::find(others.begin(), others.end(), field.info.key) != others.end()) continue;
    const std::string where = r.at(*node, field.info.key);
    set_field(s, field.info.key, checked_value(field, *node, where), where);
  }
}

const toml::table& preset_of(const ListSource& in, const toml::node& node, const std::string& name) {
  const auto found = in.presets.find(name);
  if (found != in.presets.end()) return *found->second;
  std::vector<std::string_view> names;
  for (const auto& [known, table] : in.presets) names.push_back(known);
  throw Error(fmt::format("{}no preset \"{}\" ({}). Define [preset.{}], or name another.", in.source.at(node),
                          name, names.empty() ? "the list has none" : "there are " + join_names(names), name));
}

/// Names of the presets that a scenario takes, later ones over earlier ones.
std::vector<std::string> presets_of(const TableReader& r) {
  std::vector<std::string> names;
  const toml::node* presets = r.table.get("preset");
  if (presets != nullptr && !presets->is_array()) return {r.text("preset")};
  r.take({"preset", "1", ""}, names);
  return names;
}

/// Numbers of servers: those of the table's list, or the scenario's own.
std::vector<std::int64_t> counts_of(const ListSource& in, const toml::node* servers, const Scenario& s) {
  if (servers == nullptr || !servers->is_array()) return {s.servers};
  const auto list = value_of(*servers, FieldValue(std::vector<std::int64_t>{}));
  validate(list.has_value() && !std::get<std::vector<std::int64_t>>(*list).empty(),
           "{}servers = {} (an integer, or a list of them). Write servers = [4, 8].", in.source.at(*servers),
           shown(*servers));
  return std::get<std::vector<std::int64_t>>(*list);
}

/// Refuses keys that the scenario gives itself and does not read; notes those of its presets that it does.
void note_keys(ListSource& in, const toml::table& table, const std::vector<std::string>& presets,
               const Scenario& s) {
  for (const auto& [key, node] : table)
    validate(key == "preset" || reads_key(s, key.str()),
             "{}{} = {} (nothing of {} reads it: network {}, collective {}, and its other keys). Leave it out.",
             in.source.at(node), key.str(), shown(node), s.name, s.network, s.collective);
  for (const std::string& name : presets) {
    in.taken.insert(name);
    for (const auto& [key, node] : *in.presets.at(name))
      if (reads_key(s, key.str())) in.useful.insert({name, std::string(key.str())});
  }
}

void add_scenario(const std::string& at, const Scenario& s, std::vector<Scenario>& scenarios) {
  for (const Scenario& other : scenarios)
    validate(other.name != s.name || other.servers != s.servers,
             "{}{}: servers: {} (a scenario above has the same name and as many servers). Rename one.", at,
             s.name, s.servers);
  try {
    check_scenario(s);
  } catch (const Error& error) {
    throw Error(at + error.what());
  }
  scenarios.push_back(s);
}

void take_scenario(ListSource& in, const TableReader& r, std::vector<Scenario>& scenarios) {
  const toml::table& table = r.table;
  const std::string at = r.source.at(table);
  const std::vector<std::string> presets = presets_of(r);
  const toml::node *servers = table.get("servers"), *named = table.get("preset");
  Scenario s;
  for (const std::string& preset : presets)
    take_fields({preset_of(in, *named, preset), r.source, "preset"}, {}, s);
  std::vector<std::string_view> others = {"preset"};
  if (servers != nullptr && servers->is_array()) others.emplace_back("servers");
  take_fields(r, others, s);
  r.need("name");
  for (const std::int64_t n : counts_of(in, servers, s)) {
    set_field(s, "servers", FieldValue(n), at + s.name + ": servers");
    add_scenario(at, s, scenarios);
    note_keys(in, table, presets, s);
  }
}

void take_presets(ListSource& in, const toml::node& node) {
  validate(node.is_table(), "{}preset = {} (expected tables). Write [preset.NAME] and its keys below it.",
           in.source.at(node), shown(node));
  for (const auto& [name, preset] : *node.as_table()) {
    validate(preset.is_table(), "{}preset.{} = {} (a table of keys). Write [preset.{}].", in.source.at(preset),
             name.str(), shown(preset), name.str());
    Scenario nobody;
    take_fields({*preset.as_table(), in.source, "preset"}, {}, nobody);  // refuses what no scenario may say
    in.presets[std::string(name.str())] = preset.as_table();
  }
}

/// A preset may hold more than one of its scenarios reads, but nothing that none reads.
void check_presets(const ListSource& in) {
  for (const std::string& name : in.taken)
    for (const auto& [key, node] : *in.presets.at(name))
      validate(in.useful.contains({name, std::string(key.str())}),
               "{}preset.{}: {} = {} (no scenario that uses the preset reads it). Leave it out.",
               in.source.at(node), name, key.str(), shown(node));
}

void check_references(const std::string& file, const ScenarioList& list) {
  for (const Scenario& s : list.scenarios) {
    if (s.reference.empty()) continue;
    try {
      scenario_named(list, s.reference, s.servers);
    } catch (const Error& error) {
      throw Error(fmt::format("{}: reference of {}: {}", file, s.name, error.what()));
    }
  }
}

}  // namespace

const Scenario& scenario_named(const ScenarioList& list, const std::string& name, std::int64_t servers) {
  for (const Scenario& s : list.scenarios)
    if (s.name == name && (servers == 0 || s.servers == servers)) return s;
  std::vector<std::string_view> names;
  for (const Scenario& s : list.scenarios)
    if (std::find(names.begin(), names.end(), s.name) == names.end()) names.push_back(s.name);
  throw Error(fmt::format("no scenario \"{}\"{} (there are {}). {}", name,
                          servers == 0 ? "" : fmt::format(" of {} servers", servers), join_names(names),
                          suggestion(name, names)));
}

ScenarioList load_scenario_list(const std::filesystem::path& path) {
  ListSource in{{path.string()}};
  const toml::table table = parse_toml(read_toml_file(path, "a list of scenarios is a TOML file"), in.source);
  const TableReader top{table, in.source};
  top.only({"title", "preset", "scenario", "sensitivity"});
  ScenarioList list;
  top.take({"title", "1", ""}, list.title);
  if (const toml::node* presets = table.get("preset")) take_presets(in, *presets);
  const std::vector<TableReader> scenarios = top.tables("scenario");
  validate(!scenarios.empty(), "{}: no scenarios ([[scenario]] each). Add one.", in.source.name);
  for (const TableReader& scenario : scenarios) take_scenario(in, scenario, list.scenarios);
  for (Scenario& s : list.scenarios)
    if (!s.designs.empty()) s.designs = shipped_or_own("lists", s.designs, path.parent_path()).string();
  check_presets(in);
  check_references(in.source.name, list);
  for (const TableReader& question : top.tables("sensitivity"))
    list.sensitivities.push_back(read_sensitivity(question, list));
  return list;
}

std::string scenario_keys_text() {
  std::string text;
  for (const FieldEntry& f : scenario_fields({})) {
    std::string expected = std::holds_alternative<std::string>(f.value) && f.info.names.empty()
                               ? "a text"
                               : expected_text(f.info, f.value);
    text += fmt::format("{} = {} [{}]\n", f.info.key, toml_text(f.value), f.info.unit) +
            hanging_text("", fmt::format("{}; {}", f.info.meaning, expected), 4);
    if (!f.info.source.empty()) text += hanging_text("", fmt::format("source: {}", f.info.source), 4);
  }
  return text;
}

}  // namespace optinc
