#include "experiments/models/mesh_targets.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "experiments/files/chips/matrix_file.hpp"
#include "physics/core/check.hpp"
#include "physics/mesh/nearest_unitary.hpp"
#include "physics/random/haar.hpp"

namespace optinc {

namespace {

/// The matrix of a file, or the nearest unitary one where that is asked for.
Matrix read_target(const std::string& source, bool nearest) {
  const Matrix matrix = read_matrix(source);
  try {
    if (nearest) return nearest_unitary(matrix).unitary;
    validate_unitary(matrix, "Set mesh.nearest_unitary = true to take that one.");
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", source, error.what()));
  }
  return matrix;
}

}  // namespace

Matrix mesh_target(const StudyConfig& at_point, std::uint32_t trial, const MeshTargets& targets) {
  const MeshSettings& mesh = at_point.mesh;
  if (!mesh.target_is_drawn()) {
    const auto found = std::find_if(targets.begin(), targets.end(),
                                    [&](const MeshTarget& t) { return t.source == mesh.target; });
    validate(
        found != targets.end(),
        "no matrix of the study's {} is that of mesh.target = {} (the file was changed). Run the study again.",
        targets.size(), mesh.target);
    const auto ports = found->matrix.rows();
    validate(ports == mesh.ports, "{}: a matrix of {} ports (the mesh has {}). Set mesh.ports = {}.",
             mesh.target, ports, mesh.ports, ports);
    return found->matrix;
  }
  Stream stream(at_point.run.seed, Purpose::haar, trial);
  if (mesh.target == "orthogonal") return haar_orthogonal(mesh.ports, stream).cast<Complex>();
  return haar_unitary(mesh.ports, stream);
}

MeshTargets read_mesh_targets(const std::vector<StudyConfig>& points) {
  MeshTargets targets;
  std::map<std::string, bool> nearest;  // of each file
  for (const StudyConfig& point : points) {
    if (point.mesh.target_is_drawn()) continue;
    const std::string& source = point.mesh.target;
    validate(
        nearest.emplace(source, point.mesh.nearest_unitary).first->second == point.mesh.nearest_unitary,
        "mesh.nearest_unitary is true and false of {} (a study keeps one matrix of a file). Leave it out of "
        "the sweep.",
        source);
    const bool known =
        std::any_of(targets.begin(), targets.end(), [&](const auto& t) { return t.source == source; });
    if (!known) targets.push_back({source, read_target(source, point.mesh.nearest_unitary)});
    mesh_target(point, 0, targets);  // has the point's ports
  }
  return targets;
}

}  // namespace optinc
