#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "experiments/files/readers/toml_text.hpp"
#include "physics/core/rows.hpp"

// How TOML becomes values of fields, with the place in the file for messages. Only this folder includes it.

namespace optinc {

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
