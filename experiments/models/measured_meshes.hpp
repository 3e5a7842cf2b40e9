#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/files/chips/mesh_errors_file.hpp"
#include "experiments/study/study_config.hpp"
#include "physics/thermal/phase_response.hpp"

namespace optinc {

/// What the user measured of a mesh, and the file that mesh.measured names.
struct MeasuredMesh {
  std::string source;
  MeshMeasurement found;
};

/// The crosstalk of its heaters (read_crosstalk()), and the file that mesh.measured_crosstalk names.
struct MeasuredCrosstalk {
  std::string source;
  Eigen::MatrixXd rad_per_rad;
};

/// Those of a study, each once.
using MeasuredMeshes = std::vector<MeasuredMesh>;
using MeasuredCrosstalks = std::vector<MeasuredCrosstalk>;

/// The wiring of a study's mesh.
MeshTopology mesh_topology(const MeshSettings& mesh);

/// What the files that mesh.measured, or mesh.measured_crosstalk, names at any of a study's points hold. Throws
/// Error for a file that cannot be read (read_mesh_errors(), read_crosstalk()), and for one that is of another
/// mesh than that of its point.
MeasuredMeshes read_measured_meshes(const std::vector<StudyConfig>& points);
MeasuredCrosstalks read_measured_crosstalks(const std::vector<StudyConfig>& points);

/// What was measured of a point's mesh; errors all 0 where it names no file. Throws Error where the named one
/// is not among `measured`.
MeshMeasurement measured_mesh(const StudyConfig& at_point, const MeasuredMeshes& measured);

/// The heaters of a point's mesh where their constants or their crosstalk were measured: what was not is as
/// [heater] says, or none. Throws Error as above.
std::optional<PhaseResponse> measured_heaters(const StudyConfig& at_point, const MeshMeasurement& measured,
                                              const MeasuredCrosstalks& crosstalks);

}  // namespace optinc
