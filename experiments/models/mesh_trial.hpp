#pragma once

#include "experiments/engine/config/study_config.hpp"
#include "experiments/models/trial_model.hpp"
#include "physics/mesh/blocks.hpp"

namespace optinc {

/// What a trial of model "mesh" draws: a target (or the study's own), its phases on a perfect mesh of plain
/// MZIs, and the errors of a mesh of the study's kind.
struct MeshTrial {
  MziKind kind = MziKind::standard;
  MeshTopology topology;
  Matrix target;
  MeshProgram ideal;
  MeshVariantErrors errors;
  MeshErrors measured;          ///< what was measured of it, all 0 otherwise; part of its errors
  KnownSplitters known;         ///< what the correction takes the splitters for
  double nominal_factor = 1.0;  ///< field factor of a perfect mesh with the preset's mean loss
};
MeshTrial draw_mesh_trial(const StudyConfig& config, std::uint32_t trial, const StudyInputs& inputs = {});

/// Its phases as a variant sets them, on the DAC's grid: "uncorrected", "corrected" (surplus into the
/// quadrature) or "corrected_nearest" (as published). Kinds other than standard clip to the nearest in both
/// corrected variants (program_blocks()).
CorrectedProgram programmed_mesh(const MeshTrial& trial, std::string_view variant, const ErrorModel& model);

/// The mesh's transfer matrix under such phases.
Matrix found_matrix(const MeshTrial& trial, const MeshProgram& program);

}  // namespace optinc
