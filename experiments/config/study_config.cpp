#include "experiments/config/study_config.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>

#include <toml++/toml.h>

#include "experiments/config/study_fields.hpp"
#include "experiments/config/study_keys.hpp"
#include "onn/network.hpp"
#include "onn/words.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

/// A value that a file or an override gives, with the place to name when it is wrong.
struct Given {
  FieldValue value;
  std::string where;
};
using GivenValues = std::map<std::string, Given>;  // by "section.key"

/// One line, not longer than a message bears.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  text.erase(std::unique(text.begin(), text.end(), [](char a, char b) { return a == ' ' && b == ' '; }),
             text.end());
  constexpr std::size_t longest = 80;
  return text.size() > longest ? text.substr(0, longest) + "..." : text;
}

std::string shown(const toml::node& node) {
  std::ostringstream text;
  node.visit([&](const auto& n) { text << n; });
  return one_line(text.str());
}

template <class T>
std::optional<T> number_of(const toml::node& node) {
  if (node.is_integer()) return static_cast<T>(**node.as_integer());
  if constexpr (std::is_same_v<T, double>)
    if (node.is_floating_point()) return **node.as_floating_point();
  return std::nullopt;
}

template <class T>
std::optional<FieldValue> list_of(const toml::node& node) {
  if (!node.is_array()) return std::nullopt;
  std::vector<T> values;
  for (const toml::node& element : *node.as_array()) {
    const auto value = number_of<T>(element);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

/// The node as the alternative that `type` holds; none when it is of another type. An integer is a number too.
std::optional<FieldValue> value_of(const toml::node& node, const FieldValue& type) {
  if (std::holds_alternative<std::vector<std::int64_t>>(type)) return list_of<std::int64_t>(node);
  if (std::holds_alternative<std::vector<double>>(type)) return list_of<double>(node);
  if (std::holds_alternative<std::int64_t>(type)) return number_of<std::int64_t>(node);
  if (std::holds_alternative<double>(type)) return number_of<double>(node);
  if (std::holds_alternative<bool>(type) && node.is_boolean()) return **node.as_boolean();
  if (std::holds_alternative<std::string>(type) && node.is_string()) return **node.as_string();
  return std::nullopt;
}

/// "file:line:column: " for a file; an override is its own place.
std::string place(const toml::source_region& source, std::string_view name) {
  return name.starts_with("--set ") ? fmt::format("{}: ", name)
                                    : fmt::format("{}:{}:{}: ", name, source.begin.line, source.begin.column);
}

toml::table parse_toml(std::string_view text, std::string_view name) {
  try {
    return toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    throw Error(fmt::format("{}not readable as TOML ({}). Correct this place.", place(error.source(), name),
                            one_line(std::string(error.description()))));
  }
}

void read_value(const FieldEntry& entry, const toml::node& node, std::string_view name, GivenValues& given) {
  const std::string where = place(node.source(), name) + entry.name();
  const auto value = value_of(node, entry.value);
  validate(value.has_value(), "{} = {} is of the wrong type (expected {}). Write {} = {}, for example.", where,
           shown(node), expected_text(entry.info, entry.value), entry.name(), toml_text(entry.value));
  check_field(where, entry.info, *value);
  given.insert_or_assign(entry.name(), Given{*value, where});
}

/// Every value of the table, checked; `name` is the file or the override it came from.
void read_table(const toml::table& table, std::string_view name, GivenValues& given) {
  const auto entries = config_entries(StudyConfig{});
  const auto find = [&](std::string_view section, const toml::key& key) -> const FieldEntry& {
    for (const FieldEntry& entry : entries)
      if (entry.section == section && entry.info.key == key.str()) return entry;
    const std::string full =
        section.empty() ? std::string(key.str()) : fmt::format("{}.{}", section, key.str());
    throw Error(fmt::format("{}unknown key {} ({}). Did you mean {}?", place(key.source(), name),
                            one_line(full), known_keys_text(section), nearest_key(full)));
  };
  for (const auto& [key, node] : table) {
    const bool section =
        std::any_of(entries.begin(), entries.end(), [&](const auto& e) { return e.section == key.str(); });
    if (section) {
      validate(node.is_table(), "{}{} = {} is a value ({} is a section). Write [{}] and its keys below it.",
               place(node.source(), name), key.str(), shown(node), key.str(), key.str());
      for (const auto& [inner, value] : *node.as_table())
        read_value(find(key.str(), inner), value, name, given);
    } else if (node.is_table()) {
      throw Error(fmt::format("{}unknown section [{}] ({}). Did you mean [{}]?", place(key.source(), name),
                              one_line(std::string(key.str())), known_sections_text(),
                              nearest_section(key.str())));
    } else {
      read_value(find("", key), node, name, given);
    }
  }
}

/// A word a shell user writes without quotes: a name or a path.
bool bare_word(std::string_view text) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  return !text.empty() &&
         (letters.find(text[0]) != letters.npos || text[0] == '/' || text[0] == '.' || text[0] == '~') &&
         text.find_first_of("\"'[]{}#=,\n\r") == text.npos && text != "true" && text != "false" &&
         text != "nan" && text != "inf";
}

toml::table parse_override(const std::string& text) {
  const std::string name = "--set " + one_line(text);
  const auto equals = text.find('=');
  validate(
      equals != std::string::npos && equals > 0 && text.find_first_of("\n\r") == std::string::npos,
      "{}: not an assignment (expected section.key=value on one line). Write --set run.seed=7, for example.",
      name);
  const std::string value = text.substr(equals + 1);
  return parse_toml(text.substr(0, equals) + "=" + (bare_word(value) ? toml_text(value) : value), name);
}

std::vector<FieldEntry> chip_entries(const ErrorModel& chip) {
  std::vector<FieldEntry> entries;
  visit_fields(chip, [&](const FieldInfo& info, const auto& member) {
    entries.push_back({"chip", info, to_field_value(member)});
  });
  return entries;
}

/// The values a chip starts from before single keys go over them.
ErrorModel chip_start(const GivenValues& given, std::string_view name) {
  const auto preset = given.find("chip.preset");
  if (preset == given.end()) return StudyConfig{}.chip;
  const std::string& start = std::get<std::string>(preset->second.value);
  if (start != "custom") return error_preset(start);
  for (const FieldEntry& entry : chip_entries({}))
    validate(given.contains(entry.name()),
             "{}: chip.preset = \"custom\" without {} (custom has no values of its own). Give every key of "
             "[chip], or "
             "start from a preset such as \"{}\".",
             name, entry.name(), StudyConfig{}.chip.preset);
  return {};
}

/// A chip with values of its own must not go under the name of a preset.
void name_chip(ErrorModel& chip) {
  if (chip.preset == "custom") return;
  const auto values = chip_entries(chip), preset = chip_entries(error_preset(chip.preset));
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i].value != preset[i].value) chip.preset = "custom";
}

}  // namespace

StudyConfig parse_config(std::string_view text, std::string_view name, std::span<const std::string> overrides) {
  GivenValues given, over;
  read_table(parse_toml(text, name), name, given);
  for (const std::string& override : overrides)
    read_table(parse_override(override), "--set " + one_line(override), over);
  // a preset asked for on the command line must not be undone by the file, which --print-config writes in full
  if (over.contains("chip.preset"))
    std::erase_if(given, [](const auto& v) { return v.first.starts_with("chip."); });
  for (auto& [key, value] : over) given.insert_or_assign(key, std::move(value));

  StudyConfig config;
  config.chip = chip_start(given, name);
  visit_config(config, [&](std::string_view section, const FieldInfo& info, auto& member) {
    const auto found = given.find(FieldEntry{section, info, false}.name());
    if (found != given.end()) from_field_value(member, found->second.value);
  });
  name_chip(config.chip);
  try {
    validate_config(config);
  } catch (const Error& error) {  // what holds between keys has no line of its own
    throw Error(fmt::format("{}: {}", name, error.what()));
  }
  return config;
}

StudyConfig load_config(const std::filesystem::path& path, std::span<const std::string> overrides) {
  const std::string name = path.string();
  std::error_code none;
  validate(std::filesystem::exists(path, none), "{}: no such file (a study is a TOML file). Check the path.",
           name);
  validate(!std::filesystem::is_directory(path, none),
           "{}: a folder (a study is a TOML file). Name the file in it.", name);
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  validate(file.good() || file.eof(), "{}: cannot be read (no permission, or the disk failed). Check the file.",
           name);
  return parse_config(text, name, overrides);
}

void validate_config(const StudyConfig& config) {
  for (const FieldEntry& entry : config_entries(config)) check_field(entry.name(), entry.info, entry.value);
  validate_errors(config.chip);
  const auto in_section = [](std::string_view section, auto check) {
    try {
      check();
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", section, error.what()));
    }
  };
  in_section("task", [&] { validate_enumerable(config.task); });
  in_section("training", [&] { validate_training(config.training); });
  in_section("link", [&] { validate_link(config.link); });
  in_section("network.hidden", [&] { make_network(config.task, config.network.hidden); });
}

}  // namespace optinc
