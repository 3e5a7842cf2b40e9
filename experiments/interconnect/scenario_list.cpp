#include "experiments/interconnect/scenario_list.hpp"

#include <algorithm>
#include <map>

#include "experiments/config/toml_values.hpp"
#include "physics/core/check.hpp"
#include "physics/core/names.hpp"

namespace optinc {
namespace {

struct Source {
  std::string file;
  std::map<std::string, const toml::table*> presets;

  std::string at(const toml::node& node) const { return place(node.source(), file); }
};

std::string text_of(const Source& in, const toml::node& node, std::string_view key) {
  validate(node.is_string() && !node.as_string()->get().empty(), "{}{} = {} (a text). Put it in quotes.",
           in.at(node), key, shown(node));
  return node.as_string()->get();
}

void refuse_key(const Source& in, const toml::node& node, std::string_view key,
                const std::vector<std::string_view>& known) {
  throw Error(
      fmt::format("{}unknown key \"{}\" (optinc interconnect --keys lists a scenario's). Did you mean \"{}\"?",
                  in.at(node), key, nearest_name(key, known)));
}

/// The keys of one table into a scenario, but those in `others`.
void take_fields(const Source& in, const toml::table& table, std::vector<std::string_view> others,
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

const toml::table& preset_of(const Source& in, const toml::node& node) {
  const std::string name = text_of(in, node, "preset");
  const auto found = in.presets.find(name);
  if (found != in.presets.end()) return *found->second;
  std::vector<std::string_view> names;
  for (const auto& [known, table] : in.presets) names.push_back(known);
  throw Error(fmt::format("{}no preset \"{}\" ({}). Define [preset.{}], or name another.", in.at(node), name,
                          names.empty() ? "the list has none" : "there are " + join_names(names), name));
}

void take_scenario(const Source& in, const toml::table& table, std::vector<Scenario>& scenarios) {
  Scenario s;
  if (const toml::node* presets = table.get("preset")) {
    if (presets->is_array()) {
      for (const toml::node& preset : *presets->as_array()) take_fields(in, preset_of(in, preset), {}, s);
    } else {
      take_fields(in, preset_of(in, *presets), {}, s);
    }
  }
  const toml::node* servers = table.get("servers");
  const bool several = servers != nullptr && servers->is_array();
  take_fields(
      in, table,
      several ? std::vector<std::string_view>{"preset", "servers"} : std::vector<std::string_view>{"preset"},
      s);
  validate(!s.name.empty(), "{}a scenario without name (one of its own). Name it.",
           place(table.source(), in.file));
  std::vector<std::int64_t> counts = {s.servers};
  if (several) {
    const auto list = value_of(*servers, FieldValue(std::vector<std::int64_t>{}));
    validate(list.has_value() && !std::get<std::vector<std::int64_t>>(*list).empty(),
             "{}servers = {} (an integer, or a list of them). Write servers = [4, 8].", in.at(*servers),
             shown(*servers));
    counts = std::get<std::vector<std::int64_t>>(*list);
  }
  for (const std::int64_t n : counts) {
    const std::string where = place(table.source(), in.file) + s.name + ": servers";
    set_field(s, "servers", FieldValue(n), where);
    for (const Scenario& other : scenarios)
      validate(other.name != s.name || other.servers != n,
               "{}: {} of a scenario that stands above with as many (a name of its own). Rename one.", where,
               n);
    try {
      check_scenario(s);
    } catch (const Error& error) {
      throw Error(place(table.source(), in.file) + error.what());
    }
    scenarios.push_back(s);
  }
}

Sensitivity sensitivity_of(const Source& in, const toml::table& table, const ScenarioList& list) {
  const std::vector<std::string_view> known = {"name", "subject", "reference", "servers",
                                               "key",  "values",  "apply"};
  for (const auto& [key, node] : table)
    if (std::find(known.begin(), known.end(), key.str()) == known.end()) refuse_key(in, node, key.str(), known);
  const std::string at = place(table.source(), in.file);
  const auto need = [&](std::string_view key) -> const toml::node& {
    const toml::node* node = table.get(key);
    validate(node != nullptr, "{}a sensitivity without {} (name, subject, reference, key, values). Add it.", at,
             key);
    return *node;
  };
  Sensitivity q;
  q.name = text_of(in, need("name"), "name");
  q.subject = text_of(in, need("subject"), "subject");
  q.reference = text_of(in, need("reference"), "reference");
  q.key = text_of(in, need("key"), "key");
  if (const toml::node* apply = table.get("apply")) {
    const std::string to = text_of(in, *apply, "apply");
    validate(to == "subject" || to == "both", "{}apply = {} (subject or both). Mend it.", in.at(*apply), to);
    q.both = to == "both";
  }
  if (const toml::node* servers = table.get("servers")) {
    validate(servers->is_integer() && servers->as_integer()->get() > 0,
             "{}servers = {} (those of a scenario above). Write an integer.", in.at(*servers), shown(*servers));
    q.servers = servers->as_integer()->get();
  }
  try {
    q.servers = scenario_named(list, q.subject, q.servers).servers;
    scenario_named(list, q.reference, q.servers);
  } catch (const Error& error) {
    throw Error(at + error.what());
  }
  const Scenario& trial = scenario_named(list, q.subject, q.servers);
  const std::vector<FieldEntry> fields = scenario_fields(trial);
  const auto field =
      std::find_if(fields.begin(), fields.end(), [&](const FieldEntry& f) { return f.info.key == q.key; });
  if (field == fields.end() || q.key == "name" || q.key == "reference" || q.key == "note") {
    std::vector<std::string_view> keys;
    for (const FieldEntry& f : fields) keys.push_back(f.info.key);
    throw Error(fmt::format("{}key = \"{}\" (of a scenario; optinc interconnect --keys). Did you mean \"{}\"?",
                            in.at(need("key")), q.key, nearest_name(q.key, keys)));
  }
  const toml::node& values = need("values");
  validate(values.is_array() && !values.as_array()->empty(), "{}values = {} (a list). Write values = [..].",
           in.at(values), shown(values));
  for (const toml::node& value : *values.as_array())
    q.values.push_back(checked_value(*field, value, in.at(value) + q.key));
  return q;
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
  Source in{path.string(), {}};
  const toml::table table = parse_toml(read_toml_file(path, "a list of scenarios is a TOML file"), in.file);
  ScenarioList list;
  for (const auto& [key, node] : table) {
    if (key == "title") {
      list.title = text_of(in, node, "title");
    } else if (key == "preset") {
      validate(node.is_table(), "{}preset = {} (a table each, [preset.NAME]). Mend the list.", in.at(node),
               shown(node));
      for (const auto& [name, preset] : *node.as_table()) {
        validate(preset.is_table(), "{}preset.{} = {} (a table of keys). Write [preset.{}].", in.at(preset),
                 name.str(), shown(preset), name.str());
        in.presets[std::string(name.str())] = preset.as_table();
      }
    } else if (key != "scenario" && key != "sensitivity") {
      refuse_key(in, node, key.str(), {"title", "preset", "scenario", "sensitivity"});
    }
  }
  const toml::node* scenarios = table.get("scenario");
  validate(scenarios != nullptr && scenarios->is_array_of_tables(),
           "{}: no scenarios ([[scenario]] each). Add one.", in.file);
  for (const toml::node& node : *scenarios->as_array()) take_scenario(in, *node.as_table(), list.scenarios);
  for (const Scenario& s : list.scenarios) {
    if (s.reference.empty()) continue;
    try {
      scenario_named(list, s.reference, s.servers);
    } catch (const Error& error) {
      throw Error(fmt::format("{}: reference of {}: {}", in.file, s.name, error.what()));
    }
  }
  if (const toml::node* questions = table.get("sensitivity")) {
    validate(questions->is_array_of_tables(), "{}sensitivity = {} ([[sensitivity]] each). Mend the list.",
             in.at(*questions), shown(*questions));
    for (const toml::node& node : *questions->as_array())
      list.sensitivities.push_back(sensitivity_of(in, *node.as_table(), list));
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
