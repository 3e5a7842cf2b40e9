#pragma once

#include <string>
#include <vector>

#include "experiments/engine/config/study_config.hpp"
#include "physics/mesh/program.hpp"

namespace optinc {

/// The errors of a mesh that the user measured, and the file that mesh.measured names.
struct MeasuredMesh {
  std::string source;
  MeshErrors errors;
};

/// Those of a study, each once.
using MeasuredMeshes = std::vector<MeasuredMesh>;

/// The wiring of a study's mesh.
MeshTopology mesh_topology(const MeshSettings& mesh);

/// What the files that mesh.measured names at any of a study's points hold. Throws Error for a file that cannot
/// be read (read_mesh_errors()).
MeasuredMeshes read_measured_meshes(const std::vector<StudyConfig>& points);

/// The errors that were measured of a point's mesh, all 0 where it names no file. Throws Error where the named
/// one is not among `measured`.
MeshErrors measured_errors(const StudyConfig& at_point, const MeasuredMeshes& measured);

}  // namespace optinc
