#pragma once

#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

#include <fmt/format.h>

// Text of others (names in files, names of files) on its way to a terminal or a page. What commands either is
// the control characters of ASCII and of Latin-1 (U+0080-U+009F), line ends, and the characters that turn the
// direction of writing (U+202A-U+202E, U+2066-U+2069); what is no UTF-8 counts with them.

namespace optinc {

/// Whether a byte is one of ASCII's control characters, which texts of our own write in another way.
inline bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

namespace detail {

/// A code point and how many bytes of UTF-8 it takes.
struct Letter {
  char32_t code;
  std::size_t bytes;
};

/// The first letter of UTF-8; a byte that begins none counts as a control character.
inline Letter first_letter(std::string_view text) {
  constexpr Letter none{0x80, 1};
  constexpr char32_t least[] = {0x80, 0x800, 0x10000};  // of two, three and four bytes
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return none;
  char32_t code = lead & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return none;
    code = code << 6U | (byte(i) & 0x3fU);
  }
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  return code < least[bytes - 2] || surrogate || code > 0x10ffff ? none : Letter{code, bytes};
}

inline bool commands(char32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069);
}

/// The text, with append(out, code) in the place of each letter that commands.
template <class Append>
std::string replaced(std::string_view text, const Append& append) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Letter letter = first_letter(text);
    if (commands(letter.code))
      append(out, letter.code);
    else
      out += text.substr(0, letter.bytes);
    text.remove_prefix(letter.bytes);
  }
  return out;
}

}  // namespace detail

/// The text with `by` in the place of every such character: one line, whoever wrote it.
inline std::string printable(std::string_view text, char by = ' ') {
  return detail::replaced(text, [&](std::string& out, char32_t) { out += by; });
}

/// The same of a text of several lines: '\n' stays.
inline std::string printable_lines(std::string_view text, char by = '?') {
  return detail::replaced(text, [&](std::string& out, char32_t code) { out += code == '\n' ? '\n' : by; });
}

/// A JSON text with every such character of its strings as "\uXXXX"; line ends between them stay. Its strings
/// must be UTF-8.
inline std::string printable_json(std::string_view json) {
  return detail::replaced(json, [](std::string& out, char32_t code) {
    if (code == '\n')
      out += '\n';
    else
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(code));
  });
}

}  // namespace optinc
