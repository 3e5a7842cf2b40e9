#include "experiments/files/readers/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>

#include "physics/core/check.hpp"

namespace optinc {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view blank = " \t\r\v\f";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blank);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

void require_plain_file(const fs::path& path) {
  constexpr std::uintmax_t largest = std::uintmax_t{4} << 30;
  std::error_code error;
  validate(fs::exists(path, error), "{}: no such file (a file is read). Check the path.", path.string());
  validate(fs::is_regular_file(path, error), "{}: not a plain file (a file is read). Name the file itself.",
           path.string());
  const std::uintmax_t size = fs::file_size(path, error);
  validate(!error && size <= largest, "{}: {} bytes (at most 4 GiB are read). Use HDF5 for so much.",
           path.string(), size);
}

/// A comment line of our own: sign, one space, text.
bool comment_says(std::string_view raw, char comment, std::string_view text) {
  return raw.size() > 2 && raw[0] == comment && raw.substr(2).starts_with(text);
}

/// from_chars with the leading plus it does not know; nullptr where no number begins.
const char* take_number(const char* first, const char* last, double& value) {
  if (first != last && *first == '+' && first + 1 != last && first[1] != '-') ++first;
  const auto [end, error] = std::from_chars(first, last, value);
  return error == std::errc() ? end : nullptr;
}

bool imaginary_unit(char c) { return c == 'i' || c == 'j' || c == 'I' || c == 'J'; }

/// The text without white space, which may stand around a sign or inside the parentheses; false where it parts
/// a number, as in "1 000" and "1e -5".
bool unspaced(std::string_view text, std::string& without) {
  bool blanks = false;
  for (const char c : text) {
    if (blank.find(c) != blank.npos) {
      blanks = true;
      continue;
    }
    const char before = without.empty() ? '(' : without.back();
    constexpr std::string_view signs = "+-";
    const bool apart = before == '(' || c == ')' || signs.find(before) != signs.npos ||
                       (signs.find(c) != signs.npos && before != 'e' && before != 'E');
    const bool in_exponent = signs.find(before) != signs.npos && without.size() > 1 &&
                             (without[without.size() - 2] == 'e' || without[without.size() - 2] == 'E');
    if (blanks && (!apart || in_exponent)) return false;
    without += c;
    blanks = false;
  }
  return true;
}

/// Real and imaginary part of text without white space; false where it is no complex number.
bool parse_complex(std::string_view text, double& re, double& im) {
  if (text.size() > 2 && text.front() == '(' && text.back() == ')') text = text.substr(1, text.size() - 2);
  const char *at = text.data(), *const last = at + text.size();
  const auto bare_unit = [&](const char* p) {  // "i", "+j", "-i" at the very end
    if (p != last && (*p == '+' || *p == '-')) ++p;
    return p + 1 == last && imaginary_unit(*p);
  };
  if (bare_unit(at)) {
    im = *at == '-' ? -1.0 : 1.0;
    return true;
  }
  double first = 0.0;
  at = take_number(at, last, first);
  if (at == nullptr) return false;
  if (at + 1 == last && imaginary_unit(*at)) {
    im = first;
    return true;
  }
  re = first;
  if (at == last) return true;
  if (*at != '+' && *at != '-') return false;
  if (bare_unit(at)) {
    im = *at == '-' ? -1.0 : 1.0;
    return true;
  }
  if (*at == '+' && at + 1 != last && at[1] == '-') ++at;  // older numpy.savetxt writes "1+-2j"
  at = take_number(at, last, im);
  return at != nullptr && at + 1 == last && imaginary_unit(*at);
}

/// The next line; false at the end of the file. Throws Error for one longer than any table has, before it takes
/// memory.
bool read_line(std::istream& file, std::string& line, const std::string& name, long number) {
  constexpr std::size_t longest = std::size_t{16} << 20, piece_size = std::size_t{1} << 16;
  static_assert(piece_size < longest);
  std::array<char, piece_size> piece;
  line.clear();
  for (;;) {
    file.getline(piece.data(), piece.size());
    const auto count = static_cast<std::size_t>(file.gcount());
    const bool full = file.fail() && !file.bad() && count == piece.size() - 1;  // and the line goes on
    if (file.fail() && !full) return !line.empty();
    line.append(piece.data(), full || file.eof() ? count : count - 1);  // without its '\n'
    if (!full) return true;
    file.clear();
    validate(line.size() <= longest,
             "{}:{}: a line of more than 16 MiB (no table has one). Check how the file was made.", name,
             number);
  }
}

}  // namespace

std::optional<std::string> header_entry(const fs::path& path, char comment, std::string_view name) {
  require_plain_file(path);
  std::ifstream file(path, std::ios::binary);
  std::string line;
  long number = 1;
  if (!read_line(file, line, path.string(), number)) return std::nullopt;
  if (line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
  if (!comment_says(line, comment, text_signature)) return std::nullopt;
  while (read_line(file, line, path.string(), ++number) && line.starts_with(comment))
    if (comment_says(line, comment, fmt::format("{}: ", name)))
      return std::string(trimmed(std::string_view(line).substr(2 + name.size() + 2)));
  return "";
}

std::string TextLine::where() const { return fmt::format("{}:{}", file, number); }

void read_text(const fs::path& path, char comment, const std::function<void(const TextLine&)>& take) {
  require_plain_file(path);
  std::ifstream file(path, std::ios::binary);
  validate(file.is_open(), "{}: cannot be read (no permission). Check its rights.", path.string());
  const std::string name = path.string();
  std::string raw;
  bool ours = false, ended = false, anything = false;
  TextLine line{name, 0, {}};
  while (read_line(file, raw, name, line.number + 1)) {
    if (++line.number == 1 && raw.starts_with("\xEF\xBB\xBF")) raw.erase(0, 3);
    if (line.number == 1)
      validate(!raw.starts_with("\xFF\xFE") && !raw.starts_with("\xFE\xFF"),
               "{}:1: text in UTF-16 (UTF-8 is read). Save it as UTF-8.", name);
    if (line.number == 1) ours = comment_says(raw, comment, text_signature);
    ended = ended || comment_says(raw, comment, text_end);
    line.text = trimmed(std::string_view(raw).substr(0, raw.find(comment)));
    if (line.text.empty()) continue;
    anything = true;
    take(line);
  }
  validate(!file.bad(), "{}: cannot be read to its end (the disk fails). Use another copy.", name);
  validate(!ours || ended, "{}:{}: truncated (the closing line \"{} {}\" is missing). Use a complete copy.",
           name, line.number, comment, text_end);
  validate(anything, "{}:{}: no data (the file is empty or all comment). Check how it was made.", name,
           line.number);
}

std::string read_bytes(const fs::path& path, std::size_t most) {
  require_plain_file(path);
  std::ifstream file(path, std::ios::binary);
  validate(file.is_open(), "{}: cannot be read (no permission). Check its rights.", path.string());
  const auto size = fs::file_size(path);
  validate(size <= most, "{}: {} bytes (at most {}). Make it smaller.", path.string(), size, most);
  std::string bytes(size, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(size));
  validate(file.gcount() == static_cast<std::streamsize>(size),
           "{}: cannot be read to its end (the disk fails). Use another copy.", path.string());
  return bytes;
}

std::vector<std::string_view> cells_of(std::string_view line, char separator) {
  std::vector<std::string_view> cells;
  const std::string_view separators = separator == ' ' ? blank : std::string_view(&separator, 1);
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find_first_of(separators, at), line.size());
    const std::string_view cell = trimmed(line.substr(at, end - at));
    if (separator != ' ' || !cell.empty()) cells.push_back(cell);
    at = end + 1;
  }
  return cells;
}

// The readers of cells run once a number, so they format places and cells only to complain.

double read_number(std::string_view cell, const TextLine& line, std::string_view what) {
  double value = 0.0;
  const char* const last = cell.data() + cell.size();
  if (cell.empty() || take_number(cell.data(), last, value) != last)
    throw Error(
        fmt::format("{}: {} \"{}\" is not a number (decimal numbers only, such as -1.5e-3). Correct the cell.",
                    line.where(), what, shown(cell)));
  if (!std::isfinite(value))
    throw Error(fmt::format("{}: {} {} is not finite (every value must be). Correct the cell.", line.where(),
                            what, shown(cell)));
  return value;
}

std::int64_t read_index(std::string_view cell, const TextLine& line, std::string_view what,
                        std::int64_t largest) {
  std::int64_t value = -1;
  const char* const last = cell.data() + cell.size();
  const auto [end, error] = std::from_chars(cell.data(), last, value);
  if (error != std::errc() || end != last || value < 0 || value > largest)
    throw Error(fmt::format("{}: {} \"{}\" (expected an integer, 0..{}). Correct the cell.", line.where(), what,
                            shown(cell), largest));
  return value;
}

Complex read_complex(std::string_view cell, const TextLine& line) {
  double re = 0.0, im = 0.0;
  std::string text;
  if (!unspaced(cell, text) || !parse_complex(text, re, im))
    throw Error(fmt::format(
        "{}: \"{}\" is not a complex number (expected such as 0.5-0.5j or 0.5-0.5i). Correct the cell.",
        line.where(), shown(cell)));
  if (!std::isfinite(re) || !std::isfinite(im))
    throw Error(fmt::format("{}: {} is not finite (every element must be). Correct the cell.", line.where(),
                            shown(cell)));
  return {re, im};
}

bool is_complex(std::string_view cell) {
  double re = 0.0, im = 0.0;
  std::string text;
  return unspaced(cell, text) && parse_complex(text, re, im);
}

std::string shown(std::string_view cell) {
  std::string text(cell.substr(0, 40));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < 0x20 || c > 0x7e; }, '?');
  return text + (cell.size() > 40 ? ".." : "");
}

std::string extension_of(const fs::path& path) {
  std::string extension = path.extension().string();
  for (char& c : extension)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return extension;
}

}  // namespace optinc
