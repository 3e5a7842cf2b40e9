#pragma once

#include <string>
#include <string_view>

// Text of others (names in files, names of files) on its way to a terminal or a page. What commands either is the
// control characters of ASCII and of Latin-1 (U+0080-U+009F), line ends, and the characters that turn the direction of
// writing (U+202A-U+202E, U+2066-U+2069); what is no UTF-8 counts with them.

namespace optinc {

/// The text with `by` in the place of every such character: one line, whoever wrote it.
std::string printable(std::string_view text, char by = ' ');

/// The same of a text of several lines: '\n' stays.
std::string printable_lines(std::string_view text, char by = '?');

/// A JSON text with every such character of its strings as "\uXXXX"; line ends and what is no UTF-8 must not stand in them.
std::string printable_json(std::string_view json);

}  // namespace optinc
