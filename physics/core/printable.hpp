#pragma once

#include <algorithm>
#include <string>

namespace optinc {

/// Whether an ASCII character commands a terminal, or ends a line, in place of being printed.
inline bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

/// The text with `by` in the place of every such character: one line, whoever wrote it.
inline std::string printable(std::string text, char by = ' ') {
  std::replace_if(text.begin(), text.end(), is_control, by);
  return text;
}

}  // namespace optinc
