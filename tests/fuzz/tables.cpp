#include <initializer_list>

#include "experiments/files/chips/crosstalk_file.hpp"
#include "experiments/files/chips/matrix_file.hpp"
#include "experiments/files/chips/mesh_errors_file.hpp"
#include "experiments/files/chips/numpy_file.hpp"
#include "experiments/files/chips/phases_file.hpp"

#include "tests/fuzz/support.hpp"

namespace optinc::fuzz {
namespace {

bool same(const Matrix& a, const Matrix& b) { return a.rows() == b.rows() && a.cols() == b.cols() && a == b; }

/// What was read must be what its own table reads as.
void read_phases_back(const std::filesystem::path& path) {
  const std::vector<NamedMesh> meshes = read_phases_csv(path);
  const std::string table = phases_csv(meshes, "fuzz");
  const std::vector<NamedMesh> again = read_phases_csv(
      written({reinterpret_cast<const std::uint8_t*>(table.data()), table.size()}, "again.csv"));
  demand(again.size() == meshes.size(), "as many meshes come back");
  for (std::size_t m = 0; m < meshes.size(); ++m)
    demand(again[m].name == meshes[m].name && again[m].program.theta == meshes[m].program.theta &&
               again[m].program.output_phase == meshes[m].program.output_phase,
           "phases come back bit for bit");
}

void read_matrix_back(const std::filesystem::path& path) {
  const Matrix matrix = read_matrix_csv(path);
  const std::string table = matrix_csv(matrix, "fuzz", "fuzz");
  demand(same(read_matrix_csv(
                  written({reinterpret_cast<const std::uint8_t*>(table.data()), table.size()}, "again.csv")),
              matrix),
         "a matrix comes back bit for bit");
}

/// Under each of these names in turn, whatever `read` makes of it.
template <class Read>
void read_as(const std::filesystem::path& csv, std::initializer_list<const char*> names, Read read) {
  for (const char* name : names) {
    const auto path = csv.parent_path() / name;
    std::error_code none;
    std::filesystem::rename(csv, path, none);
    read(path);
    std::filesystem::rename(path, csv, none);
  }
}

}  // namespace

void tables(Bytes text) {
  const auto csv = written(text, "table.csv");
  accepted([&] { read_phases_back(csv); });
  accepted([&] { read_matrix_back(csv); });
  read_as(csv, {"table.s2p", "table.s4p", "table.S8P"}, [](const auto& path) {
    accepted([&] { read_touchstone(path); });
    accepted([&] { read_touchstone_spectrum(path); });
  });
  accepted([&] { read_mesh_errors(csv, clements_topology(3)); });
  accepted([&] { read_crosstalk(csv, clements_topology(2)); });
  read_as(csv, {"table.npz", "table.npy"}, [](const auto& path) {
    accepted([&] { read_numpy(path); });
    accepted([&] { read_mesh_errors(path, clements_topology(3)); });
    accepted([&] { read_crosstalk(path, clements_topology(2)); });
    accepted([&] { read_phases(path); });
  });
}

}  // namespace optinc::fuzz
