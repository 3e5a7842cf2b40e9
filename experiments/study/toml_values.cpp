#include "experiments/study/toml_values.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "physics/core/check.hpp"
#include "physics/core/printable.hpp"

namespace optinc {
namespace {

template <class T>
std::optional<T> element_of(const toml::node& node) {
  if constexpr (std::is_same_v<T, std::string>) {
    if (node.is_string()) return **node.as_string();
  } else {
    if (node.is_integer()) return static_cast<T>(**node.as_integer());
    if constexpr (std::is_same_v<T, double>)
      if (node.is_floating_point()) return **node.as_floating_point();
  }
  return std::nullopt;
}

template <class T>
std::optional<FieldValue> list_of(const toml::node& node) {
  if (!node.is_array()) return std::nullopt;
  std::vector<T> values;
  for (const toml::node& element : *node.as_array()) {
    const auto value = element_of<T>(element);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

/// A word a shell user writes without quotes: a name or a path.
bool bare_word(std::string_view text) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  return !text.empty() &&
         (letters.find(text[0]) != letters.npos || text[0] == '/' || text[0] == '.' || text[0] == '~') &&
         text.find_first_of("\"'[]{}#=,\n\r") == text.npos && text != "true" && text != "false" &&
         text != "nan" && text != "inf";
}

}  // namespace

std::optional<FieldValue> value_of(const toml::node& node, const FieldValue& type) {
  if (std::holds_alternative<std::vector<std::int64_t>>(type)) return list_of<std::int64_t>(node);
  if (std::holds_alternative<std::vector<double>>(type)) return list_of<double>(node);
  if (std::holds_alternative<std::int64_t>(type)) return element_of<std::int64_t>(node);
  if (std::holds_alternative<double>(type)) return element_of<double>(node);
  if (std::holds_alternative<std::vector<std::string>>(type)) return list_of<std::string>(node);
  if (std::holds_alternative<bool>(type) && node.is_boolean()) return **node.as_boolean();
  if (std::holds_alternative<std::string>(type) && node.is_string()) return **node.as_string();
  return std::nullopt;
}

Assignment parse_assignment(const std::string& text, std::string_view option) {
  TomlSource source{fmt::format("{} {}", option, one_line(text)), true};
  const auto equals = text.find('=');
  validate(equals != std::string::npos && equals > 0 && text.find_first_of("\n\r") == std::string::npos,
           "{}: not an assignment (expected section.key=value on one line). Write {} {}, for example.",
           source.name, option, option == "--sweep" ? "chip.sigma_eta_rad=[0.005,0.01]" : "run.seed=7");
  const std::string value = text.substr(equals + 1);
  toml::table table =
      parse_toml(text.substr(0, equals) + "=" + (bare_word(value) ? toml_text(value) : value), source);
  return {std::move(source), std::move(table)};
}

FieldValue checked_value(const FieldEntry& entry, const toml::node& node, std::string_view where) {
  auto value = value_of(node, entry.value);
  validate(value.has_value(), "{} = {} is of the wrong type (expected {}). Write {} = {}, for example.", where,
           shown(node), expected_text(entry.info, entry.value), entry.name(), toml_text(entry.value));
  check_row(where, entry.info, *value);
  return *std::move(value);
}

}  // namespace optinc
