#pragma once

#include <memory>
#include <optional>

#include "experiments/models/foundry.hpp"
#include "experiments/models/trial_model.hpp"
#include "experiments/study/study_config.hpp"
#include "physics/mesh/blocks.hpp"
#include "physics/mesh/group_delay.hpp"
#include "physics/variation/chip_errors.hpp"

namespace optinc {

/// What a trial of model "mesh" draws: a target (or the study's own), its phases on a perfect mesh of plain
/// MZIs, and the errors of a mesh of the study's kind.
struct MeshTrial {
  MeshAddress address;
  MziKind kind = MziKind::standard;
  MeshTopology topology;
  Matrix target;
  MeshProgram ideal;
  MeshVariantErrors errors;
  std::optional<MeshProgram> static_phases;  ///< of a mesh from a wafer: what its heaters make up for
  MeshErrors measured;                       ///< what was measured of it, all 0 otherwise; part of its errors
  std::shared_ptr<const PhaseResponse> heaters;  ///< where they were measured, null otherwise: all as designed
  KnownSplitters known;                          ///< what the correction takes the splitters for
  double nominal_factor = 1.0;                   ///< field factor of a perfect mesh with the preset's mean loss
};

/// Trial `trial` of a study. `doped-heaters`: the study's, which prepares the die of its mesh once for all
/// trials.
MeshTrial draw_mesh_trial(const StudyConfig& config, std::uint32_t trial, const StudyInputs& inputs = {},
                          const Foundry& foundry = Foundry());

/// Its phases as a variant sets them, on the DAC's grid: "uncorrected", or for known splitters and measured
/// phase offsets: "corrected" (clipped to the nearest bar power, as published) or "corrected_quadrature"
/// (surplus into the quadrature). Kinds other than standard clip to the nearest in both corrected variants
/// (program_blocks()).
CorrectedProgram programmed_mesh(const MeshTrial& trial, std::string_view variant, const ErrorModel& model);

/// What its heaters are asked for: such phases, less static ones of their own (trimmed()) unless those of the
/// mesh were measured.
MeshProgram heaters_of(const MeshTrial& trial, const MeshProgram& program, const StudyConfig& config);

/// The mesh after calibration `number` >= 1: its splitters estimated anew, and new residuals on the phases of a
/// trial that was drawn without (chip.sigma_cal_rad = 0).
MeshTrial calibrated_again(MeshTrial trial, const StudyConfig& config, std::uint32_t number);

/// Adds to the errors of a mesh whose heaters were measured what these make of such phases
/// (add_heater_errors()): "uncorrected" sets powers for heaters as [heater] says, without crosstalk, the others
/// for what was measured. Returns the power of all heaters, W; nothing, and adds nothing, where none was
/// measured. Throws Error where no power gives the phases.
std::optional<double> add_measured_heat(MeshTrial& trial, const MeshProgram& program, std::string_view variant,
                                        const StudyConfig& config);

/// Its errors under such phases in the study's [environment], where the laser is `detuned_m` further off.
MeshVariantErrors errors_in_use(const MeshTrial& trial, const MeshProgram& program, const StudyConfig& config,
                                double detuned_m = 0.0);

/// The mesh's transfer matrix under such phases, with its errors as calibrated or with those it has in use.
Matrix found_matrix(const MeshTrial& trial, const MeshProgram& program);
Matrix found_matrix(const MeshTrial& trial, const MeshProgram& program, const MeshVariantErrors& errors);

/// Reads the targets and the measured meshes of a study's points.
void read_mesh_files(const std::vector<StudyConfig>& points, StudyInputs& inputs);

/// Bytes that trials of a study of meshes take on so many threads, besides its records.
double mesh_memory_bytes(const StudyConfig& config, int threads);

/// Group delays of its paths in use: of the waveguide between its ends ([waveguide], floor plan), and of what
/// phases and splitters make of it.
PathDelays delays_in_use(const MeshTrial& trial, const MeshProgram& program, const StudyConfig& config);

}  // namespace optinc
