#include "experiments/files/chips/crosstalk_file.hpp"

#include <string>
#include <utility>
#include <vector>

#include "experiments/files/chips/numpy_file.hpp"
#include "experiments/files/hdf5/stored_values.hpp"
#include "experiments/files/readers/table_cells.hpp"
#include "experiments/files/readers/text.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

constexpr std::size_t most_heaters = 8192;  // 512 MiB of numbers

/// What a size that is not the mesh's is compared with.
std::string wanted_size(const MeshTopology& topology) {
  const Eigen::Index count = heater_count(topology);
  return fmt::format("expected {} x {}: theta and phi of {} MZIs and {} output phases", count, count,
                     topology.mzi_count(), topology.ports);
}

[[noreturn]] void refuse_diagonal(const std::string& where, double value, Eigen::Index heater) {
  throw Error(
      fmt::format("{}: {} from heater {} to itself (must be 0: its own phase is counted separately). Set the "
                  "diagonal to 0.",
                  where, value, heater));
}

Eigen::MatrixXd read_csv(const std::filesystem::path& path, const MeshTopology& topology) {
  const Eigen::Index count = heater_count(topology);
  Eigen::MatrixXd matrix(count, count);
  Eigen::Index row = 0;
  TableCells cut;
  bool named = false;
  read_text(path, '#', [&](const TextLine& line) {
    const auto& cells = cut(line);
    if (cut.has_index() && !std::exchange(named, true)) return;  // names of pandas
    if (static_cast<Eigen::Index>(cells.size()) != count || row == count)
      throw Error(fmt::format("{}: row {} has {} numbers ({}). Give the matrix of this mesh.", line.where(),
                              row, cells.size(), wanted_size(topology)));
    for (Eigen::Index column = 0; column < count; ++column)
      matrix(row, column) = read_number(cells[static_cast<std::size_t>(column)], line, "crosstalk");
    if (matrix(row, row) != 0.0) refuse_diagonal(line.where(), matrix(row, row), row);
    ++row;
  });
  validate(row == count, "{}: {} rows ({}). Give the matrix of this mesh.", path.string(), row,
           wanted_size(topology));
  return matrix;
}

Eigen::MatrixXd read_array(const std::filesystem::path& path, const MeshTopology& topology) {
  const Eigen::Index count = heater_count(topology);
  Eigen::MatrixXd matrix = read_numpy_matrix(path, "crosstalk", most_heaters);
  validate(matrix.rows() == count && matrix.cols() == count,
           "{}: {} x {} numbers ({}). Give the matrix of this mesh.", path.string(), matrix.rows(),
           matrix.cols(), wanted_size(topology));
  for (Eigen::Index i = 0; i < count; ++i)
    if (matrix(i, i) != 0.0) refuse_diagonal(fmt::format("{}: row {}", path.string(), i), matrix(i, i), i);
  return matrix;
}

}  // namespace

Eigen::Index heater_count(const MeshTopology& topology) {
  return 2 * Eigen::Index{topology.mzi_count()} + topology.ports;
}

Eigen::MatrixXd read_crosstalk(const std::filesystem::path& path, const MeshTopology& topology) {
  const std::string extension = extension_of(path);
  validate(extension == ".csv" || extension == ".npy" || extension == ".npz",
           "{}: extension \"{}\" is unknown for measured crosstalk (known: .csv, .npy, .npz). Rename the file.",
           path.string(), shown(extension));
  validate(heater_count(topology) <= static_cast<Eigen::Index>(most_heaters),
           "{}: crosstalk of {} heaters (at most {} are read). Measure a smaller mesh.", path.string(),
           heater_count(topology), most_heaters);
  return extension == ".csv" ? read_csv(path, topology) : read_array(path, topology);
}

void save_crosstalk(const Group& group, const Eigen::MatrixXd& rad_per_rad) {
  const auto count = static_cast<std::size_t>(rad_per_rad.rows());
  group.counting_dimension("receiver", count,
                           "heater whose phase changes: theta of every MZI, phi, output phases");
  group.counting_dimension("giver", count, "heater that causes it, in the same order");
  const Eigen::MatrixXd by_row = rad_per_rad.transpose();  // row-major, as files are
  group.dataset("crosstalk", {"receiver", "giver"},
                std::vector<double>(by_row.data(), by_row.data() + by_row.size()), "1",
                "phase of the receiver per phase of the giver");
}

Eigen::MatrixXd load_crosstalk(const Group& group) {
  const std::vector<std::size_t> shape = group.shape("crosstalk");
  validate(shape.size() == 2 && shape[0] == shape[1] && shape[0] >= 1 && shape[0] <= most_heaters,
           "{}: shape ({}) (expected receiver, giver, at most {} each). Give a square matrix.",
           group.where("crosstalk"), fmt::join(shape, ", "), most_heaters);
  const std::vector<double> values = finite_values(group, "crosstalk", {shape[0], shape[1]});
  const auto count = static_cast<Eigen::Index>(shape[0]);
  Eigen::MatrixXd matrix =
      Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(values.data(),
                                                                                               count, count);
  for (Eigen::Index i = 0; i < count; ++i)
    if (matrix(i, i) != 0.0) refuse_diagonal(group.where("crosstalk"), matrix(i, i), i);
  return matrix;
}

}  // namespace optinc
