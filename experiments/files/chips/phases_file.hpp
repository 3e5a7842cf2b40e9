#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/files/hdf5/hdf5.hpp"
#include "experiments/files/readers/mesh_rows.hpp"

namespace optinc {

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

/// Writes phases by the extension of `path`, .h5 (group `phases`) or .csv, whole or not at all. Throws Error
/// for another extension, for a file that exists unless `force`, and where save_phases does.
void write_phases(const std::filesystem::path& path, std::span<const NamedMesh> meshes,
                  std::string_view command, bool force = false);

/// Reads phases by the extension of `path`, .h5, .csv or .npz.
std::vector<NamedMesh> read_phases(const std::filesystem::path& path);

/// Throws Error unless the extension is one that phases are written with.
void require_phases_extension(const std::filesystem::path& path);

}  // namespace optinc
