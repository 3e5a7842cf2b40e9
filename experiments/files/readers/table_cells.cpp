#include "experiments/files/readers/table_cells.hpp"

#include <algorithm>

#include "physics/core/check.hpp"

namespace optinc {
namespace {

constexpr std::string_view blanks = " \t\r\v\f", decimal_digits = "0123456789";

/// Every comma stands between two decimal_digits, as a decimal one does.
bool has_decimal_commas_alone(std::string_view line) {
  for (std::size_t at = line.find(','); at != line.npos; at = line.find(',', at + 1))
    if (at == 0 || at + 1 == line.size() || decimal_digits.find(line[at - 1]) == decimal_digits.npos ||
        decimal_digits.find(line[at + 1]) == decimal_digits.npos)
      return false;
  return true;
}

char separator_of(std::string_view line) {
  const auto has = [&](char c) { return line.find(c) != line.npos; };
  if (has(';')) return ';';
  if (has('\t') && has_decimal_commas_alone(line)) return '\t';
  return has(',') ? ',' : ' ';
}

}  // namespace

const std::vector<std::string_view>& TableCells::operator()(const TextLine& line) {
  const bool first = separator_ == '\0';
  if (first) separator_ = separator_of(line.text);
  text_ = line.text;
  cells_.clear();
  if (text_.find('"') == text_.npos) {
    cells_ = cells_of(text_, separator_);
  } else {
    const std::string_view parting = separator_ == ' ' ? blanks : std::string_view(&separator_, 1);
    for (std::size_t at = 0; at <= text_.size();) {
      at = std::min(text_.find_first_not_of(separator_ == '\t' ? " " : blanks, at), text_.size());
      const bool quoted = at < text_.size() && text_[at] == '"';
      const std::size_t close = quoted ? text_.find('"', at + 1) : at;
      if (close == text_.npos)
        throw Error(
            fmt::format("{}: a quote that is not closed (a cell is \"0.5\" or 0.5). Close it.", line.where()));
      const std::size_t end = std::min(text_.find_first_of(parting, close), text_.size());
      const std::string_view cell = quoted ? std::string_view(text_).substr(at + 1, close - at - 1)
                                           : std::string_view(text_).substr(at, end - at);
      const std::size_t last = cell.find_last_not_of(blanks);
      cells_.push_back(last == cell.npos ? std::string_view() : cell.substr(0, last + 1));
      at = end + 1;
    }
  }
  for (const std::string_view cell : cells_) {
    const bool parted = separator_ == ',' && text_.find('"') == text_.npos;
    if (parted || cell.find(',') == cell.npos || cell.find('.') != cell.npos) continue;
    const auto begin = text_.begin() + (cell.data() - text_.data());
    std::replace(begin, begin + static_cast<std::ptrdiff_t>(cell.size()), ',', '.');
  }
  if (first) index_ = cells_.size() > 1 && cells_.front().empty();
  if (index_ && !cells_.empty()) cells_.erase(cells_.begin());
  return cells_;
}

}  // namespace optinc
