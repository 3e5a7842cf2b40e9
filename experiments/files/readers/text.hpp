#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "physics/core/field.hpp"

// Text tables as laboratories exchange them: lines, cells and numbers, every complaint with file and line.

namespace optinc {

/// One line of a text file.
struct TextLine {
  std::string_view file;  ///< as messages name it
  long number = 0;        ///< from 1
  std::string_view text;  ///< without comment and surrounding white space; never empty

  /// "file:line", which opens every message.
  std::string where() const;
};

/// What a file of OptINC begins with after the comment sign, and what its last line says: a file that begins so
/// and does not end so has lost its end.
inline constexpr std::string_view text_signature = "OptINC ";
inline constexpr std::string_view text_end = "end of file";

/// Calls `take` for every line that holds more than a comment (from the sign `comment` to the end of the line).
/// Unix and Windows line ends, with or without a byte-order mark. Throws Error when the file is missing, not a
/// plain file, unreadable, over 4 GiB, holds nothing, or is OptINC's and truncated.
void read_text(const std::filesystem::path& path, char comment,
               const std::function<void(const TextLine&)>& take);

/// All bytes of a file. Throws Error when it is missing, not a plain file, unreadable or larger than `most`.
std::string read_bytes(const std::filesystem::path& path, std::size_t most);

/// What the opening comment lines of a file of OptINC say under `name`, "" where they do not; nothing where the
/// file is not OptINC's. Throws Error where it is no plain file.
std::optional<std::string> header_entry(const std::filesystem::path& path, char comment, std::string_view name);

/// The cells of a line, white space around them removed: cut at `separator`, or for ' ' at any white space.
std::vector<std::string_view> cells_of(std::string_view line, char separator);

/// The number of one cell: decimal, finite, nothing behind it. `what` names it in the Error otherwise.
double read_number(std::string_view cell, const TextLine& line, std::string_view what);

/// The integer of one cell, within 0..largest.
std::int64_t read_index(std::string_view cell, const TextLine& line, std::string_view what,
                        std::int64_t largest);

/// The complex number of one cell, as numpy ("(1.0e+00-2.5e-01j)") and MATLAB ("1-0.25i") write it: real part,
/// imaginary part with i or j behind it, or both; finite. White space around signs and one pair of parentheses
/// are ignored; inside a number ("1 000") it is an error.
Complex read_complex(std::string_view cell, const TextLine& line);

/// Whether read_complex() reads the cell, if a finite number.
bool is_complex(std::string_view cell);

/// A cell as a message may show it: printable, at most 40 characters.
std::string shown(std::string_view cell);

/// ".csv" of "A.CSV": the last suffix in lower case.
std::string extension_of(const std::filesystem::path& path);

}  // namespace optinc
