#include "experiments/models/measured_meshes.hpp"

#include <algorithm>

#include "experiments/io/mesh_errors_file.hpp"
#include "physics/core/check.hpp"

namespace optinc {

MeshTopology mesh_topology(const MeshSettings& mesh) {
  return mesh.topology == "reck" ? reck_topology(mesh.ports) : clements_topology(mesh.ports);
}

MeasuredMeshes read_measured_meshes(const std::vector<StudyConfig>& points) {
  MeasuredMeshes measured;
  for (const StudyConfig& point : points) {
    const std::string& source = point.mesh.measured;
    if (!point.mesh.is_measured()) continue;
    const MeshTopology topology = mesh_topology(point.mesh);
    const bool known = std::ranges::any_of(measured, [&](const MeasuredMesh& m) { return m.source == source; });
    if (!known) measured.push_back({source, read_mesh_errors(source, topology)});
    validate(measured_errors(point, measured).alpha.size() == topology.mzi_count(),
             "{}: measured of another mesh than one of {} ports (a study with one file has one mesh). Sweep "
             "mesh.measured with mesh.ports.",
             source, point.mesh.ports);
  }
  return measured;
}

MeshErrors measured_errors(const StudyConfig& at_point, const MeasuredMeshes& measured) {
  const std::string& source = at_point.mesh.measured;
  if (!at_point.mesh.is_measured()) return no_errors(mesh_topology(at_point.mesh));
  const auto found = std::ranges::find(measured, source, &MeasuredMesh::source);
  validate(found != measured.end(),
           "no errors of the study's {} are those of mesh.measured = {} (the file was changed). Run the study "
           "again.",
           measured.size(), source);
  return found->errors;
}

}  // namespace optinc
