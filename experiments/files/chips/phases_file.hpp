#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/files/hdf5/hdf5.hpp"
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

/// Writes meshes into a group, one subgroup each, and their names in order (FORMAT.md, "Phases, matrices and
/// chips"). Throws Error for a name that is impossible or there twice, and for phases that do not fit the
/// wiring.
void save_phases(const Group& group, std::span<const NamedMesh> meshes);

/// The meshes of a group, in order, bit for bit as saved. Throws Error, naming file, dataset and MZI, for what
/// is missing, of another shape or type, not finite, or wired impossibly: ports outside the mesh, a port used
/// twice in a column, columns that do not count up, MZIs of a column not top to bottom.
std::vector<NamedMesh> load_phases(const Group& group);

/// The same as one CSV table: opening comments, the line of column names, one row an MZI and one an output
/// phase, shortest decimals that read back to the same bits. `command`: what made it, for the comments.
std::string phases_csv(std::span<const NamedMesh> meshes, std::string_view command);

/// The meshes of such a table, of OptINC or typed by hand. Throws Error "file:line: .." where load_phases does.
std::vector<NamedMesh> read_phases_csv(const std::filesystem::path& path);

/// The mesh, called "mesh", of an .npz (numpy_file.hpp): arrays `column`, `upper`, `lower`, `theta_rad`,
/// `phi_rad` (MZIs) and `output_rad` (ports). Throws Error where load_phases does.
std::vector<NamedMesh> read_phases_numpy(const std::filesystem::path& path);

/// Writes phases by the extension of `path`, .h5 (group `phases`) or .csv, whole or not at all. Throws Error
/// for another extension, for a file that exists unless `force`, and where save_phases does.
void write_phases(const std::filesystem::path& path, std::span<const NamedMesh> meshes,
                  std::string_view command, bool force = false);

/// Reads phases by the extension of `path`, .h5, .csv or .npz.
std::vector<NamedMesh> read_phases(const std::filesystem::path& path);

/// Throws Error unless the extension is one that phases are written with.
void require_phases_extension(const std::filesystem::path& path);

}  // namespace optinc
