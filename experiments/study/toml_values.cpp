#include "experiments/study/toml_values.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

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

std::string one_line(std::string text) {
  text = printable(std::move(text));
  text.erase(std::unique(text.begin(), text.end(), [](char a, char b) { return a == ' ' && b == ' '; }),
             text.end());
  constexpr std::size_t longest = 80;
  if (text.size() > longest) text.replace(longest, std::string::npos, "...");
  return text;
}

std::string shown(const toml::node& node) {
  std::ostringstream text;
  node.visit([&](const auto& n) { text << n; });
  return one_line(text.str());
}

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

std::string TomlSource::at(const toml::source_region& region) const {
  return is_option ? fmt::format("{}: ", name)
                   : fmt::format("{}:{}:{}: ", name, region.begin.line, region.begin.column);
}

std::string read_toml_file(const std::filesystem::path& path, std::string_view what) {
  constexpr std::size_t largest = std::size_t{64} << 20, piece = std::size_t{1} << 16;
  const std::string name = path.string();
  std::error_code none;
  validate(std::filesystem::exists(path, none), "{}: no such file ({}). Check the path.", name, what);
  validate(!std::filesystem::is_directory(path, none), "{}: a folder ({}). Name the file in it.", name, what);
  const bool of_the_shell = name.starts_with("/dev/") || name.starts_with("/proc/");  // <(..) has a writer
  validate(of_the_shell || !std::filesystem::is_fifo(path, none),
           "{}: a pipe ({}; nobody may ever write to it). Name a file, or /dev/stdin.", name, what);
  std::ifstream file(path, std::ios::binary);
  std::string text;
  while (file.good()) {
    const std::size_t there = text.size();
    text.resize(there + piece);
    file.read(text.data() + there, piece);
    text.resize(there + static_cast<std::size_t>(file.gcount()));
    validate(text.size() <= largest, "{}: more than 64 MiB ({}). Check the path.", name, what);
  }
  validate(file.eof(), "{}: cannot be read (no permission, or the disk failed). Check the file.", name);
  return text;
}

namespace {

/// Text comes out in lines and tables, on terminals.
void refuse_control_characters(const toml::node& node, const TomlSource& source) {
  if (const auto* table = node.as_table())
    for (const auto& [key, value] : *table) refuse_control_characters(value, source);
  if (const auto* array = node.as_array())
    for (const toml::node& value : *array) refuse_control_characters(value, source);
  if (const auto* text = node.as_string())
    validate(printable(**text) == **text,
             "{}{} holds a control character (text is printed in lines and tables). Leave it out.",
             source.at(node), shown(node));
}

/// Where a key has its seventeenth part or brackets stand in 32 others; nullptr where none do. toml++, and what
/// walks its tables, recurses once for each.
const char* too_deep(std::string_view text) {
  constexpr int longest_key = 16, deepest = 32;
  int dots = 0, depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      const std::string_view quotes = text.substr(i, 3);
      const bool lines = quotes == "\"\"\"" || quotes == "\'\'\'";
      for (i += lines ? 3 : 1; i < text.size(); ++i) {
        if (c == '"' && text[i] == '\\')
          ++i;
        else if (lines ? text.substr(i, 3) == quotes : text[i] == c || text[i] == '\n')
          break;
      }
      // such a string may end in one or two quotes of its own
      if (lines)
        for (i += 2; i + 1 < text.size() && text[i + 1] == c;) ++i;
    } else if (c == '#') {
      i = std::min(text.find('\n', i), text.size()) - 1;
    } else if (c == '.') {
      ++dots;
    } else if (c == '[' || c == '{') {
      ++depth;
      dots = 0;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == '=' || c == ',' || c == '\n') {
      dots = 0;
    }
    if (dots >= longest_key || depth > deepest) return text.data() + i;
  }
  return nullptr;
}

/// Throws Error for text that toml++ must not see.
void refuse_depth(std::string_view text, const TomlSource& source) {
  const char* const place = too_deep(text);
  if (place == nullptr) return;
  const std::string_view before(text.data(), place);
  const std::size_t line_start = before.rfind('\n') + 1;  // 0 in the first line
  const auto line = static_cast<toml::source_index>(1 + std::count(before.begin(), before.end(), '\n'));
  const auto column = static_cast<toml::source_index>(before.size() - line_start + 1);
  throw Error(
      fmt::format("{}nested too deeply (a key has at most 16 parts, and brackets stand in at most 32 others). "
                  "Correct this place.",
                  source.at(toml::source_region{{line, column}, {line, column}, nullptr})));
}

}  // namespace

toml::table parse_toml(std::string_view text, const TomlSource& source) {
  try {
    refuse_depth(text, source);
    toml::table table = toml::parse(text, source.name);
    refuse_control_characters(table, source);
    return table;
  } catch (const toml::parse_error& error) {
    throw Error(fmt::format("{}not readable as TOML ({}). Correct this place; strings need quotes.",
                            source.at(error.source()), one_line(std::string(error.description()))));
  }
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
