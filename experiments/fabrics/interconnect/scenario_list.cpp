#include "experiments/fabrics/interconnect/scenario_list.hpp"

#include <algorithm>
#include <set>

#include "experiments/base/shipped_files.hpp"
#include "experiments/fabrics/interconnect/list_reader.hpp"
#include "experiments/fabrics/interconnect/sensitivity.hpp"
#include "physics/core/check.hpp"
#include "physics/core/names.hpp"
#include "physics/core/suggestion.hpp"

namespace optinc {

namespace {

/// Presets of a list, and which of their keys some scenario reads.
struct ScenarioSource : ListSource {
  std::set<std::pair<std::string, std::string>> useful = {};
};

/// Refuses keys that the scenario gives itself and does not read; notes those of its presets that it does.
void note_keys(ScenarioSource& in, const TableReader& r, const Scenario& s) {
  for (const auto& [key, node] : r.table)
    validate(key == "preset" || reads_key(s, key.str()),
             "{}{} = {} (nothing of {} reads it: network {}, collective {}, and its other keys). Leave it out.",
             in.source.at(node), key.str(), shown(node), s.name, s.network, s.collective);
  for (const std::string& name : presets_of(in, r))
    for (const auto& [key, node] : *in.presets.at(name))
      if (reads_key(s, key.str())) in.useful.insert({name, std::string(key.str())});
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

/// A preset may hold more than one of its scenarios reads, but nothing that none reads.
void check_presets(const ScenarioSource& in) {
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
  ScenarioSource in{{{path.string()}}};
  const toml::table table = parse_toml(read_toml_file(path, "a list of scenarios is a TOML file"), in.source);
  const TableReader top{table, in.source};
  top.only({"title", "preset", "scenario", "sensitivity"});
  ScenarioList list;
  top.take({"title", "1", ""}, list.title);
  take_presets(in, table);
  const std::vector<TableReader> scenarios = top.tables("scenario");
  validate(!scenarios.empty(), "{}: no scenarios ([[scenario]] each). Add one.", in.source.name);
  for (const TableReader& r : scenarios)
    for (const Scenario& s : read_rows<Scenario>(in, r, "optinc interconnect --keys", list.scenarios.size())) {
      add_scenario(in.source.at(r.table), s, list.scenarios);
      note_keys(in, r, s);
    }
  for (Scenario& s : list.scenarios)
    if (!s.designs.empty()) s.designs = shipped_or_own("lists", s.designs, path.parent_path()).string();
  check_presets(in);
  check_references(in.source.name, list);
  for (const TableReader& question : top.tables("sensitivity"))
    list.sensitivities.push_back(read_sensitivity(question, list));
  return list;
}

std::string scenario_keys_text() { return keys_text<Scenario>(0); }

}  // namespace optinc
