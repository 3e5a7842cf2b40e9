#pragma once

#include <string>
#include <vector>

#include "experiments/study/study_config.hpp"
#include "physics/core/field.hpp"

namespace optinc {

/// A matrix of the user's that meshes are to have, and the file that mesh.target names.
struct MeshTarget {
  std::string source;
  Matrix matrix;
};

/// Those of a study, each once.
using MeshTargets = std::vector<MeshTarget>;

/// The matrices of the files that mesh.target names at any of a study's points; none where it draws them.
/// Throws Error, which names the file, for one that cannot be read and for a matrix that no mesh of the study
/// has: one of other ports or, unless mesh.nearest_unitary takes the nearest, one that is not unitary to 1e-6.
MeshTargets read_mesh_targets(const std::vector<StudyConfig>& points);

/// What the mesh of a trial is to have: the matrix of the file that mesh.target names, for every trial the
/// same, or one drawn for the trial. Throws Error where the named one is not among `targets` or has other
/// ports.
Matrix mesh_target(const StudyConfig& at_point, std::uint32_t trial, const MeshTargets& targets);

}  // namespace optinc
