#pragma once

#include <span>
#include <vector>

#include "physics/layout/placement.hpp"
#include "physics/variation/chip_errors.hpp"
#include "physics/variation/process_model.hpp"
#include "physics/variation/wafer_map.hpp"

namespace optinc {

/// One mesh as fabricated, before any calibration.
struct FabricatedMesh {
  MeshErrors errors;         ///< phase offsets are the static ones, O(1) rad, that calibration has to find
  Vector heater_power;       ///< P_pi of each heater over its design, order of heater_sites (2 MZIs + ports)
  Vector heater_resistance;  ///< R_h of each heater over its design, the same order
};

/// Errors left by calibration and drive: every phase offset becomes N(0, sigma_cal) + N(0, sigma_phase).
struct Calibration {
  double sigma_cal_rad = 5e-3;  ///< residual of the static offsets, 0..5e-2 (assumed)
  double sigma_phase_rad = 0;   ///< phase noise, frozen for one block of symbols
};

/// A process applied to the meshes of one die: the wiring, where it lies, and the factorised random field. Made
/// once by prepare_die, then drawn from for chip after chip; not changed by drawing, so threads may share it.
struct DieProcess {
  std::vector<MeshTopology> topologies;
  std::vector<MeshFloorPlan> plans;
  ProcessModel model;
  std::vector<DiePosition> dies;  ///< dies_on_wafer
  double wafer_radius_m = 0;
  RandomField field;  ///< over all sites of all meshes; see the order in fabrication.cpp
};

/// A process applied to places of one die, such as those of a circuit's devices. Made once by prepare_places;
/// threads may share it.
struct PlaceProcess {
  Sites sites;  ///< from the corner of the die
  ProcessModel model;
  std::vector<DiePosition> dies;  ///< dies_on_wafer
  double wafer_radius_m = 0;
  RandomField field;
};

/// Checks the process and factorises its field at the places. Throws Error as validate_process, dies_on_wafer
/// and factorise_field do.
PlaceProcess prepare_places(Sites sites, const ProcessModel& model, const WaferMap& wafer = {},
                            const FieldSettings& field = {});

/// Changes of width and height at the places of chip `chip` (sites, 2), m, without roughness: wafer, die and
/// field as fabricate_die draws them, a function of (seed, chip) alone.
Eigen::MatrixXd dimension_changes(const PlaceProcess& process, std::uint64_t seed, std::uint32_t chip);

/// Checks everything and factorises the field. Throws Error as validate_process, validate_topology,
/// dies_on_wafer and factorise_field do, and where plans and topologies do not fit each other.
DieProcess prepare_die(std::vector<MeshTopology> topologies, std::vector<MeshFloorPlan> plans,
                       const ProcessModel& model, const WaferMap& wafer = {}, const FieldSettings& field = {});

/// Fabricates all meshes of chip `chip`: a function of (seed, chip) alone. Chips are numbered on wafers
/// (wafer_map.hpp); dies of one wafer share its bow and tilt, meshes of one die its offset and one random
/// field. Each source has streams of its own: wafer (seed, wafer), die offset (seed, chip), field (seed, chip),
/// and for every mesh (seed, chip, mesh) white splitter errors, roughness, losses and heaters, drawn as
/// draw_mesh_errors draws them: a process of white splitter errors and losses alone gives its numbers.
/// A device is given its dimensions at its centre; couplers by eta_change_rad, waveguides by phase_change_rad
/// over the length of the arm, carried to the shifters by set_offsets. Lengths: arms and output screen of the
/// plan.
std::vector<FabricatedMesh> fabricate_die(const DieProcess& process, std::uint64_t seed, std::uint32_t chip);

/// The same by a process of other spreads, sensitivities, losses and heaters, whose kernel and correlation
/// length are still those of `process`: the factorised field serves them all. Throws Error where they are not.
std::vector<FabricatedMesh> fabricate_die(const DieProcess& process, const ProcessModel& model,
                                          std::uint64_t seed, std::uint32_t chip);

/// One mesh that has its die to itself, or is so far from the others that they share wafer and die only: mesh
/// `address.mesh` of chip `address.chip`. `process` holds one mesh. Mesh 0 is what fabricate_die gives. Throws
/// Error where it holds several.
FabricatedMesh fabricate_mesh(const DieProcess& process, const MeshAddress& address);

/// The errors that remain once the phases are calibrated (streams as in draw_mesh_errors); splitters and losses
/// stay as fabricated. Throws Error for a negative spread.
MeshErrors calibrated_errors(const FabricatedMesh& mesh, const Calibration& calibration,
                             const MeshAddress& address);

/// Fabricates and calibrates one mesh on its own, for a mesh that is used once. Same contract as
/// draw_mesh_errors.
MeshErrors fabricate_mesh(const MeshTopology& topology, const MeshFloorPlan& plan, const ProcessModel& model,
                          const MeshAddress& address, const Calibration& calibration);

}  // namespace optinc
