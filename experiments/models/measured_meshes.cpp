#include "experiments/models/measured_meshes.hpp"

#include <algorithm>

#include "experiments/files/chips/crosstalk_file.hpp"
#include "physics/core/check.hpp"
#include "physics/mesh/wiring.hpp"

namespace optinc {
namespace {

/// The one of that file. `key` names it in the study.
template <class Measured>
const Measured& of_source(const std::vector<Measured>& all, std::string_view key, const std::string& source) {
  const auto found = std::ranges::find(all, source, &Measured::source);
  validate(found != all.end(),
           "none of the study's {} measurements is that of mesh.{} = {} (the file was changed). Run the study "
           "again.",
           all.size(), key, source);
  return *found;
}

template <class Measured>
bool knows(const std::vector<Measured>& all, const std::string& source) {
  return std::ranges::find(all, source, &Measured::source) != all.end();
}

void require_mesh(bool same, std::string_view key, const std::string& source, int ports) {
  validate(
      same,
      "{}: measured of another mesh than one of {} ports (a study with one file has one mesh). Sweep mesh.{} "
      "with mesh.ports.",
      source, ports, key);
}

}  // namespace

MeshTopology mesh_topology(const MeshSettings& mesh) { return wiring_of(mesh.topology, mesh.ports); }

MeasuredMeshes read_measured_meshes(const std::vector<StudyConfig>& points) {
  MeasuredMeshes measured;
  for (const StudyConfig& point : points) {
    const std::string& source = point.mesh.measured;
    if (!point.mesh.is_measured()) continue;
    const MeshTopology topology = mesh_topology(point.mesh);
    if (!knows(measured, source)) measured.push_back({source, read_mesh_errors(source, topology)});
    require_mesh(measured_mesh(point, measured).errors.alpha.size() == topology.mzi_count(), "measured", source,
                 point.mesh.ports);
  }
  return measured;
}

MeasuredCrosstalks read_measured_crosstalks(const std::vector<StudyConfig>& points) {
  MeasuredCrosstalks measured;
  for (const StudyConfig& point : points) {
    const std::string& source = point.mesh.measured_crosstalk;
    if (!point.mesh.has_measured_crosstalk()) continue;
    const MeshTopology topology = mesh_topology(point.mesh);
    if (!knows(measured, source)) measured.push_back({source, read_crosstalk(source, topology)});
    require_mesh(of_source(measured, "measured_crosstalk", source).rad_per_rad.rows() == heater_count(topology),
                 "measured_crosstalk", source, point.mesh.ports);
  }
  return measured;
}

MeshMeasurement measured_mesh(const StudyConfig& at_point, const MeasuredMeshes& measured) {
  if (!at_point.mesh.is_measured()) return {no_errors(mesh_topology(at_point.mesh)), {}, {}};
  return of_source(measured, "measured", at_point.mesh.measured).found;
}

std::optional<PhaseResponse> measured_heaters(const StudyConfig& at_point, const MeshMeasurement& measured,
                                              const MeasuredCrosstalks& crosstalks) {
  const bool crosstalk = at_point.mesh.has_measured_crosstalk();
  if (!crosstalk && measured.theta_p_pi_w.size() == 0 && measured.phi_p_pi_w.size() == 0) return {};
  const MeshTopology topology = mesh_topology(at_point.mesh);
  const Eigen::Index mzis = topology.mzi_count();
  Vector p_pi_w = Vector::Constant(heater_count(topology), at_point.hardware.heater.p_pi_w);
  if (measured.theta_p_pi_w.size() > 0) p_pi_w.head(mzis) = measured.theta_p_pi_w;
  if (measured.phi_p_pi_w.size() > 0) p_pi_w.segment(mzis, mzis) = measured.phi_p_pi_w;
  return measured_response(
      p_pi_w, crosstalk
                  ? of_source(crosstalks, "measured_crosstalk", at_point.mesh.measured_crosstalk).rad_per_rad
                  : Eigen::MatrixXd());
}

}  // namespace optinc
