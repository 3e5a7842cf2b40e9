#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <toml++/toml.h>

#include "experiments/files/readers/document.hpp"

/// \file toml_text.hpp TOML as toml++ has it, with the place of every value. All TOML is read here.

namespace optinc {

/// One line, not longer than a message bears.
std::string one_line(std::string text);

/// A node as its writer typed it, in one line.
std::string shown(const toml::node& node);

/// Where TOML was written.
struct TomlSource {
  std::string name;        ///< of the file; of an option of the command line, as typed ("--set run.seed=7")
  bool is_option = false;  ///< which has no lines

  /// "file:line:column: "; "OPTION: ".
  std::string at(const toml::source_region& region) const;
  /// Of a value.
  std::string at(const toml::node& node) const { return at(node.source()); }
};

/// The text of a TOML file; `what` says in messages what it would be ("a study is a TOML file"). Throws Error
/// for one that is missing, a folder, unreadable or beyond 64 MiB (which a device such as /dev/zero is as
/// well).
std::string read_toml_file(const std::filesystem::path& path, std::string_view what);

/// Throws Error, with the place, for text that is not TOML or is nested deeper than the
/// parser's stack bears, and for a value with a control character.
toml::table parse_toml(std::string_view text, const TomlSource& source);

/// The same table as a plain tree, whose parts know their lines. `file` opens messages. Throws Error as
/// DocumentBuilder does, and for a date or a time.
Document document_of(const toml::table& table, const std::string& file);

}  // namespace optinc
