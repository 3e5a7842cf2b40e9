#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/files/readers/named_columns.hpp"
#include "physics/mesh/program.hpp"

namespace optinc {

/// One mesh whose phases leave for the laboratory or come back: U = diag(e^{i output_phase}) T_last .. T_0 with
/// the MZI of physics/core/field.hpp, all phases in rad. `name` may be a path: letters, digits and _ - . +,
/// parts joined by '/', none beginning with a dot ("layer0/block0/mesh").
struct NamedMesh {
  std::string name;
  MeshTopology topology;
  MeshProgram program;
};

/// Largest mesh that a file may describe; a damaged number cannot ask for more.
inline constexpr std::int64_t most_ports = 65536, most_mzis = std::int64_t{1} << 24;

inline constexpr std::string_view phases_title = "OptINC: phases of meshes";

/// One MZI as a file states it: finite angles in rad, wiring not yet believed.
struct MziRow {
  std::int64_t column = 0, upper = 0, lower = 0;
  double theta = 0.0, phi = 0.0;
};

/// Builds a mesh from the rows of a file, in topology order, with one output phase (rad) per port. Throws Error
/// opened by where(k), the place of row k, unless columns count up from 0 without gaps and the MZIs of a column
/// lie top to bottom on disjoint pairs of the mesh's ports.
NamedMesh mesh_of_rows(std::string name, std::span<const MziRow> rows, std::span<const double> output_phase,
                       const std::function<std::string(std::size_t)>& where);

/// The rows of a mesh, in topology order. Throws Error unless the phases fit the wiring.
std::vector<MziRow> rows_of_mesh(const NamedMesh& mesh);

/// Throws Error, opened by `where`, unless there are names, each may name a mesh, and none is there twice.
void require_mesh_names(std::string_view where, std::span<const std::string> names);

/// The columns of a table of phases as CSV.
inline constexpr std::string_view phases_columns = "kind,mesh,column,upper,lower,theta_rad,phi_rad";

/// The meshes of such a table, of OptINC or typed by hand. Throws Error "file:line: .." for whatever makes it
/// none.
std::vector<NamedMesh> read_phases_csv(const std::filesystem::path& path);

/// The mesh, called "mesh", of arrays `column`, `upper`, `lower`, `theta_rad`, `phi_rad` (MZIs) and
/// `output_rad` (ports), as an .npz holds them. Throws Error where they are none.
NamedMesh mesh_of_columns(const NamedColumns& table);

}  // namespace optinc
