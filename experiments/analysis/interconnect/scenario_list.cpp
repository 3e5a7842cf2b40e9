#include "experiments/analysis/interconnect/scenario_list.hpp"

#include <algorithm>

#include "experiments/analysis/interconnect/list_source.hpp"
#include "experiments/engine/config/toml_values.hpp"
#include "physics/core/check.hpp"
#include "physics/core/names.hpp"

namespace optinc {

std::string text_of(const ListSource& in, const toml::node& node, std::string_view key) {
  validate(node.is_string() && !node.as_string()->get().empty(), "{}{} = {} (a text). Put it in quotes.",
           in.at(node), key, shown(node));
  return node.as_string()->get();
}

void refuse_key(const ListSource& in, const toml::node& node, std::string_view key,
                const std::vector<std::string_view>& known) {
  throw Error(
      fmt::format("{}unknown key \"{}\" (optinc interconnect --keys lists a scenario's). Did you mean \"{}\"?",
                  in.at(node), key, nearest_name(key, known)));
}

namespace {

/// The keys of one table into a scenario, but those in `others`.
void take_fields(const ListSource& in, const toml::table& table, std::vector<std::string_view> others,
                 Scenario& s) {
  const std::vector<FieldEntry> fields = scenario_fields(s);
  for (const auto& [key, node] : table) {
    if (std::find(others.begin(), others.end(), key.str()) != others.end()) continue;
    const auto field = std::find_if(fields.begin(), fields.end(),
                                    [&, name = key.str()](const FieldEntry& f) { return f.info.key == name; });
    if (field == fields.end()) {
      std::vector<std::string_view> known = others;
      for (const FieldEntry& f : fields) known.push_back(f.info.key);
      refuse_key(in, node, key.str(), known);
    }
    const std::string where = fmt::format("{}{}", in.at(node), key.str());
    const bool free_text = std::holds_alternative<std::string>(field->value) && field->info.names.empty();
    set_field(s, key.str(),
              free_text ? FieldValue(text_of(in, node, key.str())) : checked_value(*field, node, where), where);
  }
}

const toml::table& preset_of(const ListSource& in, const toml::node& node, const std::string& name) {
  const auto found = in.presets.find(name);
  if (found != in.presets.end()) return *found->second;
  std::vector<std::string_view> names;
  for (const auto& [known, table] : in.presets) names.push_back(known);
  throw Error(fmt::format("{}no preset \"{}\" ({}). Define [preset.{}], or name another.", in.at(node), name,
                          names.empty() ? "the list has none" : "there are " + join_names(names), name));
}

/// Names of the presets that a scenario takes, later ones over earlier ones.
std::vector<std::string> presets_of(const ListSource& in, const toml::table& table) {
  std::vector<std::string> names;
  const toml::node* presets = table.get("preset");
  if (presets == nullptr) return names;
  if (!presets->is_array()) return {text_of(in, *presets, "preset")};
  for (const toml::node& preset : *presets->as_array()) names.push_back(text_of(in, preset, "preset"));
  return names;
}

/// Numbers of servers: those of the table's list, or the scenario's own.
std::vector<std::int64_t> counts_of(const ListSource& in, const toml::node* servers, const Scenario& s) {
  if (servers == nullptr || !servers->is_array()) return {s.servers};
  const auto list = value_of(*servers, FieldValue(std::vector<std::int64_t>{}));
  validate(list.has_value() && !std::get<std::vector<std::int64_t>>(*list).empty(),
           "{}servers = {} (an integer, or a list of them). Write servers = [4, 8].", in.at(*servers),
           shown(*servers));
  return std::get<std::vector<std::int64_t>>(*list);
}

/// Refuses keys that the scenario gives itself and does not read; notes those of its presets that it does.
void note_keys(ListSource& in, const toml::table& table, const std::vector<std::string>& presets,
               const Scenario& s) {
  for (const auto& [key, node] : table)
    validate(key == "preset" || reads_key(s, key.str()),
             "{}{} = {} (nothing of {} reads it: network {}, collective {}, and its other keys). Leave it out.",
             in.at(node), key.str(), shown(node), s.name, s.network, s.collective);
  for (const std::string& name : presets) {
    in.taken.insert(name);
    for (const auto& [key, node] : *in.presets.at(name))
      if (reads_key(s, key.str())) in.useful.insert({name, std::string(key.str())});
  }
}

void add_scenario(const std::string& at, const Scenario& s, std::vector<Scenario>& scenarios) {
  for (const Scenario& other : scenarios)
    validate(other.name != s.name || other.servers != s.servers,
             "{}{}: servers: {} of a scenario that stands above with as many (a name of its own). Rename one.",
             at, s.name, s.servers);
  try {
    check_scenario(s);
  } catch (const Error& error) {
    throw Error(at + error.what());
  }
  scenarios.push_back(s);
}

void take_scenario(ListSource& in, const toml::table& table, std::vector<Scenario>& scenarios) {
  const std::string at = place(table.source(), in.file);
  const std::vector<std::string> presets = presets_of(in, table);
  const toml::node *servers = table.get("servers"), *named = table.get("preset");
  Scenario s;
  for (const std::string& preset : presets) take_fields(in, preset_of(in, *named, preset), {}, s);
  std::vector<std::string_view> others = {"preset"};
  if (servers != nullptr && servers->is_array()) others.emplace_back("servers");
  take_fields(in, table, others, s);
  validate(!s.name.empty(), "{}a scenario without name (one of its own). Name it.", at);
  for (const std::int64_t n : counts_of(in, servers, s)) {
    set_field(s, "servers", FieldValue(n), at + s.name + ": servers");
    add_scenario(at, s, scenarios);
    note_keys(in, table, presets, s);
  }
}

void take_presets(ListSource& in, const toml::node& node) {
  validate(node.is_table(), "{}preset = {} (a table each, [preset.NAME]). Mend the list.", in.at(node),
           shown(node));
  for (const auto& [name, preset] : *node.as_table()) {
    validate(preset.is_table(), "{}preset.{} = {} (a table of keys). Write [preset.{}].", in.at(preset),
             name.str(), shown(preset), name.str());
    Scenario nobody;
    take_fields(in, *preset.as_table(), {}, nobody);  // refuses what no scenario may say
    in.presets[std::string(name.str())] = preset.as_table();
  }
}

/// A preset may hold more than one of its scenarios reads, but nothing that none reads.
void check_presets(const ListSource& in) {
  for (const std::string& name : in.taken)
    for (const auto& [key, node] : *in.presets.at(name))
      validate(in.useful.contains({name, std::string(key.str())}),
               "{}preset.{}: {} = {} (no scenario that takes the preset reads it). Leave it out.", in.at(node),
               name, key.str(), shown(node));
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
  throw Error(fmt::format("no scenario \"{}\"{} (there are {}). Did you mean \"{}\"?", name,
                          servers == 0 ? "" : fmt::format(" of {} servers", servers), join_names(names),
                          nearest_name(name, names)));
}

ScenarioList load_scenario_list(const std::filesystem::path& path) {
  ListSource in{path.string(), {}, {}, {}};
  const toml::table table = parse_toml(read_toml_file(path, "a list of scenarios is a TOML file"), in.file);
  ScenarioList list;
  for (const auto& [key, node] : table) {
    if (key == "title")
      list.title = text_of(in, node, "title");
    else if (key == "preset")
      take_presets(in, node);
    else if (key != "scenario" && key != "sensitivity")
      refuse_key(in, node, key.str(), {"title", "preset", "scenario", "sensitivity"});
  }
  const toml::node* scenarios = table.get("scenario");
  validate(scenarios != nullptr && scenarios->is_array_of_tables(),
           "{}: no scenarios ([[scenario]] each). Add one.", in.file);
  for (const toml::node& node : *scenarios->as_array()) take_scenario(in, *node.as_table(), list.scenarios);
  for (Scenario& s : list.scenarios)
    if (!s.designs.empty()) s.designs = (path.parent_path() / s.designs).string();
  check_presets(in);
  check_references(in.file, list);
  if (const toml::node* questions = table.get("sensitivity")) {
    validate(questions->is_array_of_tables(), "{}sensitivity = {} ([[sensitivity]] each). Mend the list.",
             in.at(*questions), shown(*questions));
    for (const toml::node& node : *questions->as_array())
      list.sensitivities.push_back(read_sensitivity(in, *node.as_table(), list));
  }
  return list;
}

std::string scenario_keys_text() {
  std::string text;
  for (const FieldEntry& f : scenario_fields({})) {
    std::string expected = std::holds_alternative<std::string>(f.value) && f.info.names.empty()
                               ? "a text"
                               : expected_text(f.info, f.value);
    text += fmt::format("{:<26} {:<8} {:<26} {}; {}\n", f.info.key, f.info.unit, toml_text(f.value),
                        f.info.meaning, expected);
    if (!f.info.source.empty()) text += fmt::format("{:<26} source: {}\n", "", f.info.source);
  }
  return text;
}

}  // namespace optinc
