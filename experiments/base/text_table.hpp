#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace optinc {

/// Columns of a terminal that text for a person fits into.
inline constexpr std::size_t terminal_columns = 100;

/// Side of a column on which its cells and its heading stand.
enum class Align { left, right };

/// A column of a text table.
struct TextColumn {
  std::string heading;
  Align align = Align::right;                                  ///< numbers right, names left
  std::size_t most = std::numeric_limits<std::size_t>::max();  ///< characters; wider cells wrap at spaces
};

/// A table in lines of at most `width` characters, two spaces between columns. Where the columns do not fit
/// beside each other, blocks below each other, an empty line between, share them out in their order; every
/// block repeats the first `keys` columns. If a key and one other column do not fit either, the widest
/// left-aligned key column wraps at spaces. Only a word too long to wrap makes a line longer. A no-break space
/// (U+00A0) keeps two words on a line and is printed as a space. `rows`: a cell for each column, UTF-8, without
/// line breaks. Throws Error for a row of another length or more keys than columns.
std::string text_table(std::span<const TextColumn> columns, std::span<const std::vector<std::string>> rows,
                       std::size_t keys, std::size_t width = terminal_columns);

/// `label`, then `text` from column `indent` on, wrapped at spaces to lines of at most `width` characters;
/// further lines begin at `indent` too. A label that reaches `indent` has a line of its own.
std::string hanging_text(std::string_view label, std::string_view text, std::size_t indent,
                         std::size_t width = terminal_columns);

}  // namespace optinc
