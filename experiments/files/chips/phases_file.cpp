#include "experiments/files/chips/phases_file.hpp"

#include <algorithm>

#include "experiments/files/chips/numpy_file.hpp"
#include "experiments/files/hdf5/atomic_file.hpp"
#include "experiments/files/hdf5/provenance.hpp"
#include "experiments/files/hdf5/stored_values.hpp"
#include "experiments/files/readers/mesh_rows.hpp"
#include "experiments/files/readers/text.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

template <class T, class Member>
std::vector<T> gather(std::span<const MziRow> rows, Member MziRow::*member) {
  std::vector<T> values;
  for (const MziRow& row : rows) values.push_back(row.*member);
  return values;
}

void save_mesh(const Group& group, const NamedMesh& mesh) {
  const std::vector<MziRow> rows = rows_of_mesh(mesh);
  group.counting_dimension("port", static_cast<std::size_t>(mesh.topology.ports), "waveguide, top to bottom");
  group.dataset("output_phase", {"port"},
                std::vector<double>(mesh.program.output_phase.begin(), mesh.program.output_phase.end()), "rad",
                "phase screen behind the last column");
  if (rows.empty()) return;  // a bare waveguide; HDF5 dimensions have at least one value
  group.counting_dimension("mzi", rows.size(), "MZI in column order, top to bottom in a column");
  const auto write = [&](std::string_view name, const auto& values, std::string_view unit,
                         std::string_view meaning) { group.dataset(name, {"mzi"}, values, unit, meaning); };
  write("column", gather<std::int64_t>(rows, &MziRow::column), "1", "column that light meets it in");
  write("upper", gather<std::int64_t>(rows, &MziRow::upper), "1", "upper port");
  write("lower", gather<std::int64_t>(rows, &MziRow::lower), "1", "lower port");
  write("theta", gather<double>(rows, &MziRow::theta), "rad", "internal phase; 0 is cross, pi is bar");
  write("phi", gather<double>(rows, &MziRow::phi), "rad", "external phase, upper input");
}

NamedMesh load_mesh(const Group& group, std::string name) {
  const auto output = finite_values(group, "output_phase", {stored_length(group, "output_phase", most_ports)});
  std::vector<MziRow> rows;
  const auto datasets = {"theta", "phi", "upper", "lower", "column"};
  if (std::any_of(datasets.begin(), datasets.end(), [&](const char* d) { return group.exists(d); })) {
    const std::size_t count = stored_length(group, "theta", most_mzis);
    const auto theta = finite_values(group, "theta", {count}), phi = finite_values(group, "phi", {count});
    const auto column = group.read<std::int64_t>("column", {count}),
               upper = group.read<std::int64_t>("upper", {count}),
               lower = group.read<std::int64_t>("lower", {count});
    for (std::size_t k = 0; k < count; ++k) rows.push_back({column[k], upper[k], lower[k], theta[k], phi[k]});
  }
  return mesh_of_rows(std::move(name), rows, output,
                      [&](std::size_t k) { return fmt::format("{}: MZI {}", group.where(), k); });
}

}  // namespace

void save_phases(const Group& group, std::span<const NamedMesh> meshes) {
  std::vector<std::string> names;
  for (const NamedMesh& mesh : meshes) names.push_back(mesh.name);
  require_mesh_names(group.where(), names);
  group.dimension("mesh_name", names, "1", "names of the meshes, which are the groups below");
  for (const NamedMesh& mesh : meshes) save_mesh(group.group(mesh.name), mesh);
}

std::vector<NamedMesh> load_phases(const Group& group) {
  constexpr std::int64_t most_meshes = 1000000;
  const auto names = group.read<std::string>("mesh_name", {stored_length(group, "mesh_name", most_meshes)});
  require_mesh_names(group.where("mesh_name"), names);
  std::vector<NamedMesh> meshes;
  for (const std::string& name : names) meshes.push_back(load_mesh(group.open(name), name));
  return meshes;
}

void require_phases_extension(const std::filesystem::path& path) {
  const std::string extension = extension_of(path);
  validate(extension == ".h5" || extension == ".csv",
           "{}: extension \"{}\" is unknown for phases (known: .h5, .csv). Rename the file.", path.string(),
           extension);
}

void write_phases(const std::filesystem::path& path, std::span<const NamedMesh> meshes,
                  std::string_view command, bool force) {
  require_phases_extension(path);
  if (extension_of(path) == ".csv") return write_text_file(path, phases_csv(meshes, command), force);
  AtomicFile out(path, force);
  sign_file(out.file(), phases_title, command);
  save_phases(out.file().group("phases"), meshes);
  out.commit();
}

std::vector<NamedMesh> read_phases(const std::filesystem::path& path) {
  if (extension_of(path) == ".npz") return {mesh_of_columns(read_numpy(path))};
  require_phases_extension(path);
  if (extension_of(path) == ".csv") return read_phases_csv(path);
  const File file = File::open(path);
  refuse_newer_schema(file);
  return load_phases(file.root().open("phases"));
}

}  // namespace optinc
