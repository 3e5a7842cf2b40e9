#include "experiments/files/readers/named_columns.hpp"

#include <algorithm>
#include <cmath>

#include "experiments/files/readers/table_cells.hpp"
#include "experiments/files/readers/text.hpp"
#include "physics/core/check.hpp"
#include "physics/core/names.hpp"
#include "physics/core/suggestion.hpp"

namespace optinc {

std::string NamedColumns::place(std::size_t row) const {
  return lines.empty() ? fmt::format("row {}", row) : fmt::format("line {}", lines[row]);
}

std::string NamedColumns::where(std::size_t row) const {
  return lines.empty() ? fmt::format("{}: row {}", file, row) : fmt::format("{}:{}", file, lines[row]);
}

const std::vector<double>* NamedColumns::find(std::string_view name) const {
  const auto found = std::ranges::find(columns, name, &NamedColumn::name);
  return found == columns.end() ? nullptr : &found->values;
}

const std::vector<double>& NamedColumns::column(std::string_view name, std::string_view what) const {
  const std::vector<double>* const values = find(name);
  validate(values != nullptr, "{}: no column \"{}\" ({}). Add it.", file, name, what);
  return *values;
}

std::vector<std::int64_t> NamedColumns::indices(std::string_view name, std::string_view what,
                                                std::int64_t largest) const {
  std::vector<std::int64_t> whole;
  for (const double value : column(name, what)) {
    if (!(value >= 0.0 && value <= static_cast<double>(largest) && value == std::floor(value)))
      throw Error(fmt::format("{}: {} {} (expected an integer, 0..{}). Set a value in this range.",
                              where(whole.size()), name, value, largest));
    whole.push_back(static_cast<std::int64_t>(value));
  }
  return whole;
}

std::size_t NamedColumns::rows(std::string_view except) const {
  const NamedColumn* first = nullptr;
  for (const NamedColumn& column : columns) {
    if (column.name == except) continue;
    if (first == nullptr) first = &column;
    validate(column.values.size() == first->values.size(),
             "{}: {} rows of {}, {} of {} (columns are equally long). Give all columns the same length.", file,
             first->values.size(), first->name, column.values.size(), column.name);
  }
  return first == nullptr ? 0 : first->values.size();
}

void NamedColumns::require_names(std::span<const std::string_view> known) const {
  for (const NamedColumn& column : columns)
    validate(std::ranges::find(known, column.name) != known.end(),
             "{}: column \"{}\" is unknown (known: {}). {}", file, shown(column.name), join_names(known),
             suggestion(column.name, known));
}

NamedColumns read_columns_csv(const std::filesystem::path& path) {
  NamedColumns table{path.string(), {}};
  TableCells cut;
  read_text(path, '#', [&](const TextLine& line) {
    const auto& cells = cut(line);
    if (table.columns.empty()) {
      for (const std::string_view cell : cells) {
        validate(table.find(cell) == nullptr, "{}: column {} is there twice (each once). Remove one.",
                 line.where(), shown(cell));
        table.columns.push_back({std::string(cell), {}});
      }
      return;
    }
    if (cells.size() != table.columns.size())
      throw Error(fmt::format("{}: {} cells (expected {}, as many as column names). Correct the row.",
                              line.where(), cells.size(), table.columns.size()));
    for (std::size_t c = 0; c < cells.size(); ++c)
      table.columns[c].values.push_back(read_number(cells[c], line, table.columns[c].name));
    table.lines.push_back(line.number);
  });
  return table;
}

}  // namespace optinc
