#include "experiments/base/text_table.hpp"

#include <algorithm>

#include "physics/core/check.hpp"

namespace optinc {
namespace {

constexpr std::size_t gap = 2, least_wrapped = 12;
constexpr std::string_view no_break_space = "\u00a0";

/// Characters of UTF-8 text: all bytes but those that continue one.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

/// The words of a text in lines of at most `width`, at least one line.
std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  if (width_of(text) <= width) return {std::string(text)};
  std::vector<std::string> lines(1);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    at = end + 1;
    if (word.empty()) continue;
    std::string& line = lines.back();
    if (line.empty())
      line = word;
    else if (width_of(line) + 1 + width_of(word) <= width)
      line.append(" ").append(word);
    else
      lines.emplace_back(word);
  }
  return lines;
}

/// One row in as many lines as its tallest cell needs.
std::string row_text(std::span<const TextColumn> columns, const std::vector<std::string>& cells,
                     const std::vector<std::size_t>& widths, const std::vector<std::size_t>& shown) {
  std::vector<std::vector<std::string>> lines;
  std::size_t height = 1;
  for (const std::size_t c : shown) {
    lines.push_back(wrapped(cells[c], widths[c]));
    height = std::max(height, lines.back().size());
  }
  std::string text;
  for (std::size_t l = 0; l < height; ++l) {
    std::string line;
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const std::string cell = l < lines[i].size() ? lines[i][l] : "";
      const std::size_t width = widths[shown[i]];
      const std::string space(width - std::min(width, width_of(cell)), ' ');
      if (i > 0) line.append(gap, ' ');
      line += columns[shown[i]].align == Align::left ? cell + space : space + cell;
    }
    for (std::size_t at = line.find(no_break_space); at != std::string::npos;
         at = line.find(no_break_space, at))
      line.replace(at, no_break_space.size(), " ");
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

/// What a column needs where its cells wrap at `most` characters.
std::size_t width_needed(const TextColumn& column, std::span<const std::vector<std::string>> rows,
                         std::size_t c, std::size_t most) {
  std::size_t width = width_of(column.heading);
  for (const auto& row : rows)
    for (const std::string& line : wrapped(row[c], most)) width = std::max(width, width_of(line));
  return width;
}

/// What each column needs; of the keys, what they may take beside the widest of the others.
std::vector<std::size_t> column_widths(std::span<const TextColumn> columns,
                                       std::span<const std::vector<std::string>> rows, std::size_t keys,
                                       std::size_t width) {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns.size(); ++c)
    widths.push_back(width_needed(columns[c], rows, c, columns[c].most));
  std::size_t needed = 0, widest = 0;
  std::size_t wrap = columns.size();
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (c >= keys) {
      widest = std::max(widest, widths[c]);
      continue;
    }
    needed += widths[c] + gap;
    if (columns[c].align == Align::left && (wrap == columns.size() || widths[c] > widths[wrap])) wrap = c;
  }
  needed += widest;
  if (needed > width && wrap < columns.size())
    widths[wrap] = width_needed(columns[wrap], rows, wrap,
                                std::max(least_wrapped, widths[wrap] - std::min(widths[wrap], needed - width)));
  return widths;
}

}  // namespace

std::string text_table(std::span<const TextColumn> columns, std::span<const std::vector<std::string>> rows,
                       std::size_t keys, std::size_t width) {
  validate(keys <= columns.size(), "text table: {} key columns (it has {} columns). Give at most {}.", keys,
           columns.size(), columns.size());
  for (const auto& row : rows)
    validate(row.size() == columns.size(), "text table: a row of {} cells (it has {} columns). Give {}.",
             row.size(), columns.size(), columns.size());
  const std::vector<std::size_t> widths = column_widths(columns, rows, keys, width);
  std::vector<std::string> headings;
  for (const TextColumn& column : columns) headings.push_back(column.heading);
  std::string text;
  std::size_t next = keys;
  do {
    std::vector<std::size_t> shown;
    std::size_t used = 0;
    const auto show = [&](std::size_t c) {
      used += widths[c] + (shown.empty() ? 0 : gap);
      shown.push_back(c);
    };
    for (std::size_t c = 0; c < keys; ++c) show(c);
    if (next < columns.size()) show(next++);
    while (next < columns.size() && used + gap + widths[next] <= width) show(next++);
    if (!text.empty()) text += '\n';
    text += row_text(columns, headings, widths, shown);
    for (const auto& row : rows) text += row_text(columns, row, widths, shown);
  } while (next < columns.size());
  return text;
}

std::string hanging_text(std::string_view label, std::string_view text, std::size_t indent, std::size_t width) {
  std::string out(label);
  std::size_t at = width_of(label);
  if (at >= indent && !text.empty()) {
    out += '\n';
    at = 0;
  }
  for (const std::string& line : wrapped(text, width > indent ? width - indent : 1)) {
    if (at == 0 && !out.empty() && out.back() != '\n') out += '\n';
    if (!line.empty()) out += std::string(indent - std::min(indent, at), ' ') + line;
    at = 0;
  }
  return out + '\n';
}

}  // namespace optinc
