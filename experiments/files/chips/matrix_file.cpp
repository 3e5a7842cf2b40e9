#include "experiments/files/chips/matrix_file.hpp"

#include <algorithm>
#include <iterator>

#include "experiments/files/chips/numpy_file.hpp"
#include "experiments/files/chips/text_frame.hpp"
#include "experiments/files/chips/touchstone_text.hpp"
#include "experiments/files/hdf5/atomic_file.hpp"
#include "experiments/files/hdf5/provenance.hpp"
#include "experiments/files/readers/text.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

constexpr std::string_view table_header = "row,column,re,im";

using RowMajor = Eigen::Matrix<Complex, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Entry {
  std::int64_t row, column;
  Complex value;
  long line;
};

void require_matrix(const Matrix& matrix, std::string_view where) {
  validate(matrix.rows() >= 1 && matrix.cols() >= 1 && matrix.rows() <= largest_matrix &&
               matrix.cols() <= largest_matrix,
           "{}: matrix of {} x {} (expected 1..{} rows and columns). Give a matrix of this size.", where,
           matrix.rows(), matrix.cols(), largest_matrix);
  validate(matrix.allFinite(),
           "{}: matrix holds NaN or infinity (every element is finite). Check how it was made.", where);
}

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

/// What parts the cells of a grid: the first of comma, semicolon, tab that occurs; white space otherwise.
char separator_of(std::string_view line) {
  for (const char c : {',', ';', '\t'})
    if (line.find(c) != line.npos) return c;
  return ' ';
}

/// Collects a matrix line by line, a table or a grid as the first line tells.
class MatrixReader {
 public:
  void take(const TextLine& line) {
    last_line_ = line.number;
    if (first_) {
      first_ = false;
      table_ = fmt::format("{}", fmt::join(cells_of(line.text, ','), ",")) == table_header;
      if (table_) return;
      separator_ = separator_of(line.text);
      columns_ = cells_of(line.text, separator_).size();
    }
    table_ ? take_element(line) : take_row(line);
  }

  Matrix matrix(const std::string& file) const {
    if (!table_) {
      const auto columns = static_cast<Eigen::Index>(columns_);
      return Eigen::Map<const RowMajor>(values_.data(), static_cast<Eigen::Index>(values_.size()) / columns,
                                        columns);
    }
    validate(!elements_.empty(), "{}:{}: no element below the column names (expected at least one). Add rows.",
             file, last_line_);
    return matrix_of(elements_, file, last_line_);
  }

 private:
  void take_element(const TextLine& line) {
    const auto cells = cells_of(line.text, ',');
    if (cells.size() != 4)
      throw Error(fmt::format("{}: {} cells (expected 4: {}). Correct the row.", line.where(), cells.size(),
                              table_header));
    elements_.push_back({read_index(cells[0], line, "row", largest_matrix - 1),
                         read_index(cells[1], line, "column", largest_matrix - 1),
                         {read_number(cells[2], line, "re"), read_number(cells[3], line, "im")},
                         line.number});
  }

  void take_row(const TextLine& line) {
    const auto cells = cells_of(line.text, separator_);
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
  char separator_ = ',';
  std::size_t columns_ = 0;
  std::vector<Complex> values_;  ///< of a grid, row-major
  std::vector<Entry> elements_;  ///< of a table
  long last_line_ = 0;
};

}  // namespace

void save_matrix(const Group& group, const Matrix& matrix) {
  require_matrix(matrix, group.where("matrix"));
  group.counting_dimension("output", static_cast<std::size_t>(matrix.rows()), "output port");
  group.counting_dimension("input", static_cast<std::size_t>(matrix.cols()), "input port");
  group.dimension("complex", std::vector<std::string>{"re", "im"}, "1", "part of a complex number");
  std::vector<double> values;
  for (Eigen::Index row = 0; row < matrix.rows(); ++row)
    for (Eigen::Index column = 0; column < matrix.cols(); ++column) {
      values.push_back(matrix(row, column).real());
      values.push_back(matrix(row, column).imag());
    }
  group.dataset("matrix", {"output", "input", "complex"}, values, "1", "field transmission");
}

Matrix load_matrix(const Group& group) {
  const std::vector<std::size_t> shape = group.shape("matrix");
  const auto fits = [](std::size_t n) { return n >= 1 && n <= largest_matrix; };
  validate(shape.size() == 3 && fits(shape[0]) && fits(shape[1]) && shape[2] == 2,
           "{}: shape ({}) (expected output, input, 2: real and imaginary part last, at most {} x {}). Give "
           "numpy.stack((m.real, m.imag), -1).",
           group.where("matrix"), fmt::join(shape, ", "), largest_matrix, largest_matrix);
  const std::vector<double> values = group.read<double>("matrix", {shape[0], shape[1], 2});
  Matrix matrix(shape[0], shape[1]);
  for (std::size_t i = 0; i < values.size() / 2; ++i)
    matrix(static_cast<Eigen::Index>(i / shape[1]), static_cast<Eigen::Index>(i % shape[1])) = {
        values[2 * i], values[2 * i + 1]};
  require_matrix(matrix, group.where("matrix"));
  return matrix;
}

std::string matrix_csv(const Matrix& matrix, std::string_view title, std::string_view command) {
  constexpr std::string_view remarks[] = {
      "field transmission: fields at the outputs (rows) from those at the inputs (columns), ports from 0"};
  require_matrix(matrix, "csv");
  std::string text = text_header('#', title, command, remarks);
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "{}\n", table_header);
  for (Eigen::Index row = 0; row < matrix.rows(); ++row)
    for (Eigen::Index column = 0; column < matrix.cols(); ++column)
      fmt::format_to(out, "{},{},{},{}\n", row, column, matrix(row, column).real(), matrix(row, column).imag());
  return text + text_footer('#');
}

Matrix read_matrix_csv(const std::filesystem::path& path) {
  MatrixReader reader;
  read_text(path, '#', [&](const TextLine& line) { reader.take(line); });
  return reader.matrix(path.string());
}

void require_matrix_extension(const std::filesystem::path& path) {
  const std::string extension = extension_of(path);
  validate(
      extension == ".h5" || extension == ".csv" || touchstone_ports(path) > 0,
      "{}: extension \"{}\" is unknown for a matrix (known: .h5, .csv, .sNp such as .s8p). Write one of these.",
      path.string(), shown(extension));
}

void write_matrix(const std::filesystem::path& path, const Matrix& matrix, std::string_view title,
                  std::string_view command, bool force, const TouchstoneOptions& touchstone) {
  require_matrix_extension(path);
  require_matrix(matrix, path.string());
  if (const int ports = touchstone_ports(path); ports > 0) {
    validate(
        ports == 2 * matrix.cols(),
        "{}: extension of {} ports for a matrix of {} inputs (a Touchstone file counts inputs and outputs). "
        "Name it .s{}p.",
        path.string(), ports, matrix.cols(), 2 * matrix.cols());
    return write_text_file(path, touchstone_text(matrix, touchstone, title, command), force);
  }
  if (extension_of(path) == ".csv") return write_text_file(path, matrix_csv(matrix, title, command), force);
  AtomicFile out(path, force);
  sign_file(out.file(), title, command);
  save_matrix(out.file().root(), matrix);
  out.commit();
}

Matrix read_matrix(const std::filesystem::path& path, const TouchstoneOptions& touchstone) {
  if (const std::string extension = extension_of(path); extension == ".npy" || extension == ".npz") {
    Matrix matrix = read_numpy_complex_matrix(path, largest_matrix);
    require_matrix(matrix, path.string());
    return matrix;
  }
  require_matrix_extension(path);
  if (touchstone_ports(path) > 0) return read_touchstone(path, touchstone);
  if (extension_of(path) == ".csv") return read_matrix_csv(path);
  const File file = File::open(path);
  refuse_newer_schema(file);
  return load_matrix(file.root());
}

}  // namespace optinc
