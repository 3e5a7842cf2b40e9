#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "experiments/files/readers/matrix_table.hpp"
#include "experiments/files/readers/mesh_errors_table.hpp"
#include "experiments/files/readers/mesh_rows.hpp"
#include "experiments/files/readers/named_columns.hpp"
#include "experiments/files/readers/touchstone.hpp"
#include "physics/core/check.hpp"
#include "physics/variation/error_model.hpp"

#include "python/bindings/arrays.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/mesh.hpp"
#include "python/bindings/netlists.hpp"

namespace optinc::bindings {
namespace {

using Columns = std::map<std::string, std::vector<double>>;

/// Columns that Python read, of a file that messages name.
NamedColumns table_of(const Columns& columns, const std::string& file) {
  NamedColumns table{file, {}};
  for (const auto& [name, values] : columns) {
    validate(std::ranges::all_of(values, [](double value) { return std::isfinite(value); }),
             "{}: array {} holds NaN or infinity (every number is finite). Correct it.", file, name);
    table.columns.push_back({name, values});
  }
  return table;
}

Mesh mesh_of(const NamedMesh& named) {
  validate(named.topology.ports <= 4096, "mesh {} of {} ports (at most 4096). Use a smaller one.", named.name,
           named.topology.ports);
  return {std::make_shared<const MeshWiring>(named.topology), named.program};
}

MeshChip measured_chip(const Mesh& mesh, const NamedColumns& table) {
  MeshErrors errors = measured_of_table(table, mesh.wiring->topology).errors;
  const Vector none = Vector::Zero(errors.alpha.size());
  return {mesh, {std::move(errors), none, none}, error_preset("ideal"), {}, {}};
}

std::optional<PhaseConvention> convention_of(const std::optional<std::string>& name) {
  return name ? std::optional(phase_convention(*name)) : std::nullopt;
}

}  // namespace

void bind_laboratory(nb::module_& m) {
  m.def(
      "phases_of_table",
      [](const std::string& path) {
        std::vector<std::pair<std::string, Mesh>> meshes;
        for (const NamedMesh& named : read_phases_csv(path)) meshes.emplace_back(named.name, mesh_of(named));
        return meshes;
      },
      nb::arg("path"),
      "Meshes of a table of phases as CSV, by name, in order. Raises ValueError, naming the line.");
  m.def(
      "mesh_of_columns",
      [](const Columns& columns, const std::string& file) {
        return mesh_of(mesh_of_columns(table_of(columns, file)));
      },
      nb::arg("columns"), nb::arg("file"),
      "The mesh of columns `column`, `upper`, `lower`, `theta_rad`, `phi_rad` and `output_rad`. Raises "
      "ValueError.");
  m.def(
      "measured_of_table",
      [](const Mesh& mesh, const std::string& path) { return measured_chip(mesh, read_columns_csv(path)); },
      nb::arg("mesh"), nb::arg("path"),
      "A chip of the mesh with the errors of a CSV. Raises ValueError, naming the line.");
  m.def(
      "measured_of_columns",
      [](const Mesh& mesh, const Columns& columns, const std::string& file) {
        return measured_chip(mesh, table_of(columns, file));
      },
      nb::arg("mesh"), nb::arg("columns"), nb::arg("file"), "The same of columns. Raises ValueError.");
  m.def(
      "matrix_of_table", [](const std::string& path) { return array_of_matrix(read_matrix_csv(path)); },
      nb::arg("path"), "The matrix of a CSV, complex128 (rows, columns). Raises ValueError, naming the line.");
  m.def(
      "matrix_of_touchstone",
      [](const std::string& path, std::optional<double> frequency_hz,
         const std::optional<std::string>& convention) {
        return array_of_matrix(
            read_touchstone(path, {frequency_hz.value_or(default_frequency_hz), convention_of(convention)}));
      },
      nb::arg("path"), nb::arg("frequency_hz").none() = nb::none(), nb::arg("convention").none() = nb::none(),
      "The block of S from inputs to outputs, complex128 (ports, ports). Raises ValueError, naming the line.");
  m.def(
      "spectrum_of_touchstone",
      [](const std::string& path, const std::optional<std::string>& convention) {
        const ScatteringSpectrum read = read_touchstone_spectrum(path, convention_of(convention));
        auto frequency_hz = new_array<double>({read.frequency_hz.size()});
        std::ranges::copy(read.frequency_hz, frequency_hz.data());
        return std::pair(frequency_hz, array_of_scattering(read.s, static_cast<std::size_t>(read.ports())));
      },
      nb::arg("path"), nb::arg("convention").none() = nb::none(),
      "Frequencies (n,) [Hz] and S (n, ports, ports). Raises ValueError, naming the line.");
  m.def(
      "touchstone_rows",
      [](const std::vector<double>& frequency_hz, nb::handle s, const std::string& convention, int version) {
        return touchstone_rows({frequency_hz, scattering_of_array(s)}, phase_convention(convention), version);
      },
      nb::arg("frequency_hz"), nb::arg("s"), nb::arg("convention"), nb::arg("version"),
      nb::sig("def touchstone_rows(frequency_hz: collections.abc.Sequence[float], s: "
              "numpy.typing.NDArray[numpy.complex128], convention: str, version: int) -> str"),
      "A Touchstone file without the header and last line of OptINC's. Raises ValueError for an unknown "
      "convention.");
}

}  // namespace optinc::bindings
