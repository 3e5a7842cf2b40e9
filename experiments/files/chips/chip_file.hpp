#pragma once

#include <filesystem>

#include "experiments/files/hdf5/hdf5.hpp"
#include "onn/chip/chip.hpp"

namespace optinc {

/// A fabricated chip as a file holds it: every error that was drawn, and the statistics it was drawn from.
struct StoredChip {
  ChipErrors errors;
  ErrorModel model;
};

/// Writes one mesh's errors into a group (FORMAT.md, "Phases, matrices and chips"). Angles in rad, losses in
/// dB.
void save_mesh_errors(const Group& group, const MeshErrors& errors);

/// What save_mesh_errors() wrote, bit for bit. Throws Error as load_chip() does.
MeshErrors load_mesh_errors(const Group& group);

/// Writes a chip into a group: the model as attributes, one subgroup layerL/blockB/mesh and ../attenuators each
/// (FORMAT.md, "Phases, matrices and chips"). Angles in rad, losses in dB.
void save_chip(const Group& group, const ChipErrors& errors, const ErrorModel& model);

/// The chip of a group, bit for bit as saved. Throws Error, naming file and dataset, when one is missing, of
/// another shape or type, not finite, or a loss is negative, and for a model that validate_errors refuses;
/// where the group has none, it is that of preset ideal.
StoredChip load_chip(const Group& group);

/// The same without the model.
void save_chip_errors(const Group& group, const ChipErrors& errors);
ChipErrors load_chip_errors(const Group& group);

/// The chip of a file (group `chip`). Throws Error as load_chip() does.
StoredChip read_chip(const std::filesystem::path& path);

/// Throws Error, opened by `where`, unless the chip has the layers, blocks and MZIs of the design, or of a
/// network of this shape.
void require_fit(const ChipDesign& design, const ChipErrors& errors, std::string_view where);
void require_fit(const Network& shape, const ChipErrors& errors, std::string_view where);

/// Throws Error, opened by `where`, unless a mesh's errors have the MZIs and ports of its wiring.
void require_fit(const MeshTopology& topology, const MeshErrors& errors, std::string_view where);

}  // namespace optinc
