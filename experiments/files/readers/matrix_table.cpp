#include "experiments/files/readers/matrix_table.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/files/readers/table_cells.hpp"
#include "experiments/files/readers/text.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

using RowMajor = Eigen::Matrix<Complex, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Entry {
  std::int64_t row, column;
  Complex value;
  long line;
};

/// The matrix of a table: every element once.
Matrix matrix_of(const std::vector<Entry>& elements, const std::string& file, long last_line) {
  std::int64_t rows = 0, columns = 0;
  for (const Entry& e : elements) {
    rows = std::max(rows, e.row + 1);
    columns = std::max(columns, e.column + 1);
  }
  validate(rows * columns <= static_cast<std::int64_t>(elements.size()),
           "{}:{}: {} elements of a matrix of {} x {} (expected every one once). Add the missing ones.", file,
           last_line, elements.size(), rows, columns);
  std::vector<bool> there(static_cast<std::size_t>(rows * columns), false);
  Matrix matrix(rows, columns);
  for (const Entry& e : elements) {
    const auto at = static_cast<std::size_t>(e.row * columns + e.column);
    if (there[at])
      throw Error(
          fmt::format("{}:{}: element {}, {} for the second time (expected every one once). Remove one.", file,
                      e.line, e.row, e.column));
    there[at] = true;
    matrix(e.row, e.column) = e.value;
  }
  return matrix;
}

/// Collects a matrix line by line, a table or a grid as the first line tells.
class MatrixReader {
 public:
  void take(const TextLine& line) {
    last_line_ = line.number;
    const Cells& cells = cut_(line);
    if (first_) {
      first_ = false;
      table_ = fmt::format("{}", fmt::join(cells, ",")) == matrix_columns;
      columns_ = cells.size();
      if (table_ || cut_.has_index() || std::ranges::none_of(cells, is_complex)) return;  // names of columns
    }
    table_ ? take_element(cells, line) : take_row(cells, line);
  }

  Matrix matrix(const std::string& file) const {
    if (!table_) {
      validate(!values_.empty(), "{}:{}: no row below the column names (expected at least one). Add rows.",
               file, last_line_);
      const auto columns = static_cast<Eigen::Index>(columns_);
      return Eigen::Map<const RowMajor>(values_.data(), static_cast<Eigen::Index>(values_.size()) / columns,
                                        columns);
    }
    validate(!elements_.empty(), "{}:{}: no element below the column names (expected at least one). Add rows.",
             file, last_line_);
    return matrix_of(elements_, file, last_line_);
  }

 private:
  using Cells = std::vector<std::string_view>;

  void take_element(const Cells& cells, const TextLine& line) {
    if (cells.size() != 4)
      throw Error(fmt::format("{}: {} cells (expected 4: {}). Correct the row.", line.where(), cells.size(),
                              matrix_columns));
    elements_.push_back({read_index(cells[0], line, "row", largest_matrix - 1),
                         read_index(cells[1], line, "column", largest_matrix - 1),
                         {read_number(cells[2], line, "re"), read_number(cells[3], line, "im")},
                         line.number});
  }

  void take_row(const Cells& cells, const TextLine& line) {
    const std::size_t rows = values_.size() / columns_ + 1, largest = largest_matrix;
    if (cells.size() != columns_)
      throw Error(fmt::format("{}: {} cells (expected {}, as in the first row). Correct the row.", line.where(),
                              cells.size(), columns_));
    if (rows > largest || columns_ > largest)
      throw Error(fmt::format("{}: row {} of {} elements (at most {} x {} are read). Give a smaller matrix.",
                              line.where(), rows, columns_, largest, largest));
    for (const auto cell : cells) values_.push_back(read_complex(cell, line));
  }

  bool first_ = true, table_ = false;
  TableCells cut_;
  std::size_t columns_ = 0;
  std::vector<Complex> values_;  ///< of a grid, row-major
  std::vector<Entry> elements_;  ///< of a table
  long last_line_ = 0;
};

}  // namespace

Matrix read_matrix_csv(const std::filesystem::path& path) {
  MatrixReader reader;
  read_text(path, '#', [&](const TextLine& line) { reader.take(line); });
  return reader.matrix(path.string());
}

}  // namespace optinc
