#include "experiments/study/study_config.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>

#include "experiments/study/points.hpp"
#include "experiments/study/ruled_networks.hpp"
#include "experiments/study/study_keys.hpp"
#include "experiments/study/study_model.hpp"
#include "experiments/study/study_parts.hpp"
#include "experiments/study/study_rows.hpp"
#include "experiments/study/study_sets.hpp"
#include "experiments/study/sweep_parse.hpp"
#include "experiments/study/toml_values.hpp"
#include "physics/core/check.hpp"
#include "physics/core/names.hpp"

namespace optinc {
namespace {

/// A value that a file or an override gives, with the place to name when it is wrong.
struct Given {
  FieldValue value;
  std::string where;
  bool file = false;  ///< may name one
};
using GivenValues = std::map<std::string, Given>;  // by "section.key"

/// The entry with the names of this model alone where the node holds one that is no model's.
FieldEntry of_model(FieldEntry entry, const toml::node& node, std::string_view model) {
  const bool metrics = entry.name() == "measure.metrics";
  if (!metrics && entry.name() != "measure.variants") return entry;
  const auto known = [&](const toml::node& one) {
    const auto name = one.value<std::string_view>();
    return !name || std::ranges::find(entry.info.names, *name) != entry.info.names.end();
  };
  const toml::array* list = node.as_array();
  if (list != nullptr ? std::all_of(list->begin(), list->end(), known) : known(node)) return entry;
  const auto models = model_names();
  if (std::ranges::find(models, model) == models.end()) return entry;
  entry.info.names = metrics ? metric_names(model) : variant_names(model);
  return entry;
}

void read_value(const FieldEntry& any, const toml::node& node, const TomlSource& source, std::string_view model,
                GivenValues& given) {
  const FieldEntry entry = of_model(any, node, model);
  const std::string where = source.at(node) + entry.name();
  given.insert_or_assign(entry.name(), Given{checked_value(entry, node, where), where, entry.info.file});
}

/// Every value of the table, checked; `model`: the study's, whatever says so.
void read_table(const toml::table& table, const TomlSource& source, std::string_view model,
                GivenValues& given) {
  const auto entries = config_entries(StudyConfig{});
  const auto find = [&](std::string_view section, const toml::key& key) -> const FieldEntry& {
    for (const FieldEntry& entry : entries)
      if (entry.section == section && entry.info.key == key.str()) return entry;
    const std::string full =
        section.empty() ? std::string(key.str()) : fmt::format("{}.{}", section, key.str());
    throw Error(fmt::format("{}unknown key {} ({}). Did you mean {}?", source.at(key.source()), one_line(full),
                            known_keys_text(section), likely_keys(full)));
  };
  for (const auto& [key, node] : table) {
    if (key.str() == "sweep") {  // read once the values below them are known
      validate(!source.is_option,
               "{}: --set takes one value (a sweep takes several). Write --sweep section.key=[values].",
               source.name);
      continue;
    }
    const bool section = std::any_of(entries.begin(), entries.end(),
                                     [name = key.str()](const auto& e) { return e.section == name; });
    if (section) {
      validate(node.is_table(), "{}{} = {} is a value ({} is a section). Write [{}] and its keys below it.",
               source.at(node), key.str(), shown(node), key.str(), key.str());
      for (const auto& [inner, value] : *node.as_table())
        read_value(find(key.str(), inner), value, source, model, given);
    } else if (node.is_table()) {
      throw Error(fmt::format("{}unknown section [{}] ({}). Did you mean [{}]?", source.at(key.source()),
                              one_line(std::string(key.str())), known_sections_text(),
                              nearest_section(key.str())));
    } else {
      read_value(find("", key), node, source, model, given);
    }
  }
}

/// Rounding of the networks of a study that does not set it: that of files and of the carry chain, half-even
/// where all are trained.
Rounding rounding_of_networks(const StudyConfig& config, const Overrides& overrides) {
  std::vector<std::string> sources = {config.network.source};
  for (const SweepAxis& axis : config.sweeps)
    for (const SweptKey& key : axis.keys)
      if (key.key == "network.source") {
        sources.clear();
        for (const FieldValue& value : key.values) sources.push_back(std::get<std::string>(value));
      }
  std::map<Rounding, std::string> found;
  for (const std::string& source : sources) {
    std::optional<Rounding> rounding;
    if (source == "train" || source == "untrained")
      rounding = Task().rounding;
    else if (const RuledNetwork* rule = ruled_network(source))
      rounding = rule->rounding;
    else if (overrides.rounding_of)
      rounding = overrides.rounding_of(source);
    if (rounding) found.try_emplace(*rounding, source);
  }
  std::vector<std::string> named;
  for (const auto& [rounding, source] : found)
    named.push_back(fmt::format("{} for {}", name_of(rounding), source));
  validate(
      found.size() < 2,
      "task.rounding is not set, and the networks of the sweep round differently ({}). Run one study for each "
      "rounding.",
      fmt::join(named, ", "));
  return found.empty() ? Task().rounding : found.begin()->first;
}

/// What fields that may name a file say otherwise.
constexpr std::array<std::string_view, 8> no_files = {"train",  "none",    "untrained",  "same",
                                                      "random", "unitary", "orthogonal", "default"};

/// A relative path of a study as the working directory sees it; words for no file and shipped/NAME as they are.
void place_beside(const std::filesystem::path& folder, FieldValue& value) {
  auto* text = std::get_if<std::string>(&value);
  if (text == nullptr || folder.empty() || text->starts_with("shipped/")) return;
  if (std::find(no_files.begin(), no_files.end(), *text) == no_files.end() && ruled_network(*text) == nullptr)
    *text = (folder / *text).lexically_normal().string();
}

/// Throws Error where a chip of values of its own does not say every one of them.
void validate_custom_chip(const GivenValues& given, std::string_view name) {
  std::vector<std::string> missing;
  const ErrorModel start = StudyConfig{}.chip;
  visit_rows(start, [&]<class T>(const Row& info, const T&) {
    std::string key = fmt::format("chip.{}", info.key);
    if (!std::is_same_v<T, bool> && !given.contains(key)) missing.push_back(std::move(key));  // a switch is off
  });
  validate(
      missing.empty(),
      "{}: chip.preset = \"custom\" without {} (custom has no values of its own). Give every key of [chip], or "
      "start from a preset such as \"{}\".",
      name, fmt::join(missing, ", "), start.preset);
}

/// Renames a text, or every text of an array.
template <class Present>
void rename(toml::node_view<toml::node> found, const Present& present) {
  if (auto* const name = found.as_string()) *name = std::string(present(name->get()));
  if (auto* const names = found.as_array())
    for (toml::node& node : *names) rename(toml::node_view<toml::node>(node), present);
}

/// The names of a file of this schema version by their present ones, in sections and sweeps.
void rename_stored(toml::table& table, std::int64_t schema_version) {
  if (schema_version < 5) rename(table["measure"]["variants"], present_variant);
  if (!table.contains("parts")) table.insert("parts", toml::table{{"set", "idealised"}});  // what there was
  for (const FieldEntry& entry : config_entries({})) {
    if (entry.info.former.empty()) continue;
    const auto present = [&](std::string_view name) { return present_name(name, entry.info.former); };
    rename(table[entry.section][entry.info.key], present);
    if (toml::array* const sweeps = table["sweep"].as_array())
      for (toml::node& sweep : *sweeps)
        rename(toml::node_view<toml::node>(sweep)["values"][entry.name()], present);
  }
}

/// Values that a study's file gives, and those of the command line.
struct StudyValues {
  GivenValues file, over;
};

/// Reads the values of a study's file and of --set. What stands for other keys takes their place: a set or a
/// part asked for on the command line must not be undone by the file, which --print-config writes in full.
/// `folder`: where relative paths of the file start.
StudyValues study_values(const toml::table& table, const TomlSource& source, const Overrides& overrides,
                         const std::filesystem::path& folder) {
  StudyValues given;
  std::vector<Assignment> assigned;
  for (const std::string& setting : overrides.settings) assigned.push_back(parse_assignment(setting, "--set"));
  std::string model = table["model"].value_or(StudyConfig().model);
  for (const Assignment& one : assigned) model = one.table["model"].value_or(model);
  read_table(table, source, model, given.file);
  for (auto& [key, value] : given.file)
    if (value.file) place_beside(folder, value.value);
  for (const Assignment& one : assigned) read_table(one.table, one.source, model, given.over);
  for (const NamedSet& set : named_sets())
    if (given.over.contains(std::string(set.key)))
      for (const std::string& key : set.keys()) given.file.erase(key);
  for (const UnitPart& part : unit_parts({}))
    if (given.over.contains(part.key))
      for (const std::string& key : keys_of_part(part)) given.file.erase(key);
  return given;
}

/// The settings that these values make, sweeps apart.
StudyConfig config_of(const GivenValues& values, std::string_view name) {
  StudyConfig config;
  for (const NamedSet& set : named_sets()) {
    const auto named = values.find(std::string(set.key));
    if (named == values.end()) continue;
    const std::string& start = std::get<std::string>(named->second.value);
    if (set.key == "chip.preset" && start == "custom") {
      validate_custom_chip(values, name);
      config.chip = {};
    } else {
      set.start(config, start);
    }
  }
  visit_config(config, [&](std::string_view section, const Row& info, auto& member) {
    const auto found = values.find(FieldEntry{section, info, false}.name());
    if (found != values.end()) from_field_value(member, found->second.value);
  });
  name_sets(config);
  return config;
}

/// Reads the sweeps of a table and of the command line. `over`: what --set gave.
void add_sweeps(StudyConfig& config, const toml::table& table, const TomlSource& source,
                const Overrides& overrides, const GivenValues& over, const std::filesystem::path& folder) {
  config.sweeps = read_sweeps(table, source, config);
  for (SweepAxis& axis : config.sweeps)
    for (SweptKey& key : axis.keys)
      if (entry_of(config, key.key).info.file)
        for (FieldValue& value : key.values) place_beside(folder, value);
  for (const std::string& sweep : overrides.sweeps) override_sweep(sweep, config);
  for (const SweepAxis& axis : config.sweeps)
    for (const SweptKey& key : axis.keys)
      validate(!over.contains(key.key),
               "--set {}: the study sweeps this key (its values would win). Write --sweep {}=[{}].", key.key,
               key.key, over.contains(key.key) ? toml_text(over.at(key.key).value) : "");
  refuse_parts_swept_beside_own_values(config, source.name);
  if (overrides.ablation) config.sweeps.push_back(ablation_of_all(config));
  validate_axes(config.sweeps, source.name);
}

/// `folder`: of the study's file, where its relative paths start. `stored`: the schema version of the result
/// file that holds the text; 0 for a text that a user wrote.
StudyConfig parse_study(std::string_view text, std::string_view name, const Overrides& overrides,
                        const std::filesystem::path& folder, std::int64_t stored = 0) {
  const TomlSource source{std::string(name)};
  toml::table table = parse_toml(text, source);
  if (stored > 0) rename_stored(table, stored);
  auto [values, over] = study_values(table, source, overrides, folder);
  for (const auto& [key, value] : over) values.insert_or_assign(key, value);
  StudyConfig config = config_of(values, name);
  add_sweeps(config, table, source, overrides, over, folder);
  if (!values.contains("task.rounding")) config.task.rounding = rounding_of_networks(config, overrides);
  try {
    validate_config(config);
  } catch (const Error& error) {  // what holds between keys has no line of its own
    throw Error(fmt::format("{}: {}", name, error.what()));
  }
  return config;
}

}  // namespace

StudyConfig parse_config(std::string_view text, std::string_view name, const Overrides& overrides) {
  return parse_study(text, name, overrides, {});
}

std::string_view present_variant(std::string_view before_schema_5) {
  if (before_schema_5 == "corrected") return "corrected_quadrature";
  return before_schema_5 == "corrected_nearest" ? "corrected" : before_schema_5;
}

StudyConfig parse_stored_config(std::string_view text, std::string_view name, std::int64_t schema_version) {
  return parse_study(text, name, {}, {}, schema_version);
}

StudyConfig load_config(const std::filesystem::path& path, const Overrides& overrides) {
  const std::string name = path.string();
  const bool of_the_shell = name.starts_with("/dev/") || name.starts_with("/proc/");  // <(..) has no folder
  return parse_study(read_toml_file(path, "a study is a TOML file"), name, overrides,
                     of_the_shell ? "" : path.parent_path());
}

}  // namespace optinc
