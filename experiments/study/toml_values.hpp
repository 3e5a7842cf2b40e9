#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <toml++/toml.h>

#include "physics/core/rows.hpp"

// How TOML becomes values of fields, with the place in the file for messages. Only this folder includes it.

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

/// All TOML is read here. Throws Error, with the place, for text that is not TOML or is nested deeper than the
/// parser's stack bears, and for a value with a control character.
toml::table parse_toml(std::string_view text, const TomlSource& source);

/// "KEY=VALUE" of a command line with the option that it was given to.
struct Assignment {
  TomlSource source;
  toml::table table;  ///< a bare word is a string
};
/// Throws Error, which opens with option and text.
Assignment parse_assignment(const std::string& text, std::string_view option);

/// The node as the alternative that `type` holds; none when it is of another type. An integer is a number too.
std::optional<FieldValue> value_of(const toml::node& node, const FieldValue& type);

/// The node as a checked value of the entry's field; `where` opens the message. Throws Error.
FieldValue checked_value(const FieldEntry& entry, const toml::node& node, std::string_view where);

}  // namespace optinc
