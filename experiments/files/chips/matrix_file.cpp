#include "experiments/files/chips/matrix_file.hpp"

#include <iterator>

#include "experiments/files/chips/numpy_file.hpp"
#include "experiments/files/chips/text_frame.hpp"
#include "experiments/files/chips/touchstone_text.hpp"
#include "experiments/files/chips/verilog_a.hpp"
#include "experiments/files/hdf5/atomic_file.hpp"
#include "experiments/files/hdf5/provenance.hpp"
#include "experiments/files/readers/matrix_table.hpp"
#include "experiments/files/readers/text.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

using RowMajor = Eigen::Matrix<Complex, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

void require_matrix(const Matrix& matrix, std::string_view where) {
  validate(matrix.rows() >= 1 && matrix.cols() >= 1 && matrix.rows() <= largest_matrix &&
               matrix.cols() <= largest_matrix,
           "{}: matrix of {} x {} (expected 1..{} rows and columns). Give a matrix of this size.", where,
           matrix.rows(), matrix.cols(), largest_matrix);
  validate(matrix.allFinite(),
           "{}: matrix holds NaN or infinity (every element is finite). Check how it was made.", where);
}

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
  const auto fits = [](std::size_t n) { return n >= 1 && n <= largest_matrix; };
  const auto require_shape = [&](std::span<const std::size_t> shape, std::size_t last) {
    validate(
        (shape.size() == 2 || (shape.size() == 3 && shape[2] == last)) && fits(shape[0]) && fits(shape[1]),
        "{}: shape ({}) (expected output, input of complex numbers, or output, input, 2: real and imaginary "
        "part last; at most {} x {}). Give numpy.stack((m.real, m.imag), -1).",
        group.where("matrix"), fmt::join(shape, ", "), largest_matrix, largest_matrix);
  };
  require_shape(group.shape("matrix"), 2);  // before a large one is read
  const ComplexArray stored = group.read_complex("matrix");
  require_shape(stored.shape, 0);  // an axis of pairs is gone
  Matrix matrix = Eigen::Map<const RowMajor>(stored.values.data(), static_cast<Eigen::Index>(stored.shape[0]),
                                             static_cast<Eigen::Index>(stored.shape[1]));
  require_matrix(matrix, group.where("matrix"));
  return matrix;
}

std::string matrix_csv(const Matrix& matrix, std::string_view title, std::string_view command) {
  constexpr std::string_view remarks[] = {
      "field transmission: fields at the outputs (rows) from those at the inputs (columns), ports from 0"};
  require_matrix(matrix, "csv");
  std::string text = text_header('#', title, command, remarks);
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "{}\n", matrix_columns);
  for (Eigen::Index row = 0; row < matrix.rows(); ++row)
    for (Eigen::Index column = 0; column < matrix.cols(); ++column)
      fmt::format_to(out, "{},{},{},{}\n", row, column, matrix(row, column).real(), matrix(row, column).imag());
  return text + text_footer('#');
}

void require_writable_extension(const std::filesystem::path& path) {
  const std::string extension = extension_of(path);
  validate(
      extension == ".h5" || extension == ".csv" || touchstone_ports(path) > 0 || is_verilog_a(path),
      "{}: a matrix is not written as \"{}\" (known: .h5, .csv, .sNp such as .s8p, .va). Use one of these.",
      path.string(), shown(extension));
}

void write_matrix(const std::filesystem::path& path, const Matrix& matrix, std::string_view title,
                  std::string_view command, bool force, const TouchstoneOptions& touchstone) {
  require_writable_extension(path);
  require_matrix(matrix, path.string());
  if (is_verilog_a(path)) {
    std::vector<std::string> inputs, outputs;
    for (Eigen::Index p = 0; p < matrix.cols(); ++p) inputs.push_back(fmt::format("in{}", p));
    for (Eigen::Index p = 0; p < matrix.rows(); ++p) outputs.push_back(fmt::format("out{}", p));
    const PhaseConvention convention = touchstone.convention.value_or(PhaseConvention::rf);
    return write_text_file(
        path, verilog_a_module(matrix, inputs, outputs, path.stem().string(), convention, title, command),
        force);
  }
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
  const std::string extension = extension_of(path);
  if (extension == ".npy" || extension == ".npz") {
    Matrix matrix = read_numpy_complex_matrix(path, largest_matrix);
    require_matrix(matrix, path.string());
    return matrix;
  }
  if (touchstone_ports(path) > 0) return read_touchstone(path, touchstone);
  if (extension == ".csv") return read_matrix_csv(path);
  validate(extension == ".h5",
           "{}: a matrix is not read from \"{}\" (known: .h5, .csv, .sNp such as .s8p, .npy, .npz). {}",
           path.string(), shown(extension),
           extension == ".mat" ? "In Python: numpy.save(\"U.npy\", scipy.io.loadmat(\"U.mat\")[\"U\"])."
                               : "Use one of these.");
  const File file = File::open(path);
  refuse_newer_schema(file);
  return load_matrix(file.root());
}

}  // namespace optinc
