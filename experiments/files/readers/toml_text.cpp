#include "experiments/files/readers/toml_text.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "physics/core/check.hpp"
#include "physics/core/printable.hpp"

namespace optinc {
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

/// Where the string that begins at `at` ends: at its closing quote or a newline, or at or past the end of the
/// text if it has neither.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string_view quotes = text.substr(at, 3);
  const bool lines = quotes == "\"\"\"" || quotes == "\'\'\'";
  for (at += lines ? 3 : 1; at < text.size(); ++at) {
    if (quote == '"' && text[at] == '\\')
      ++at;
    else if (lines ? text.substr(at, 3) == quotes : text[at] == quote || text[at] == '\n')
      break;
  }
  // such a string may end in one or two quotes of its own
  if (lines)
    for (at += 2; at + 1 < text.size() && text[at + 1] == quote;) ++at;
  return at;
}

/// Where a key has its seventeenth part or brackets stand in 32 others; nullptr where none do. toml++, and what
/// walks its tables, recurses once for each.
const char* too_deep(std::string_view text) {
  constexpr int longest_key = 16, deepest = 32;
  int dots = 0, depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      i = end_of_string(text, i);
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

/// Puts a table of TOML into a document.
class DocumentOfToml {
 public:
  explicit DocumentOfToml(const std::string& file) : builder_(file) {}

  Document of(const toml::table& table) {
    put(table);
    return builder_.last();
  }

 private:
  static int line_of(const toml::node& node) { return static_cast<int>(node.source().begin.line); }

  void put(const toml::node& node) {
    const int line = line_of(node);
    if (const auto* const table = node.as_table()) {
      builder_.begin(DocumentNode::Kind::mapping, line);
      for (const auto& [key, value] : *table) {
        builder_.key(std::string(key.str()), line_of(value));
        put(value);
      }
      builder_.end();
    } else if (const auto* const array = node.as_array()) {
      builder_.begin(DocumentNode::Kind::list, line);
      for (const toml::node& value : *array) put(value);
      builder_.end();
    } else if (const auto* const text = node.as_string()) {
      builder_.scalar(**text, true, line);
    } else if (node.is_number()) {
      builder_.number(*node.value<double>(), line);
    } else if (const auto* const truth = node.as_boolean()) {
      builder_.scalar(**truth ? "true" : "false", false, line);
    } else {
      builder_.refuse(line, "a date or a time (expected a number or text). Put it in quotes.");
    }
  }

  DocumentBuilder builder_;
};

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

Document document_of(const toml::table& table, const std::string& file) {
  return DocumentOfToml(file).of(table);
}

}  // namespace optinc
