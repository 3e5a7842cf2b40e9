#pragma once

#include <memory>

#include "onn/chip/chip.hpp"
#include "onn/chip/crosstalk_settings.hpp"
#include "onn/hardware/unit_hardware.hpp"
#include "physics/thermal/crosstalk_inversion.hpp"

namespace optinc {

/// What the heaters of one mesh do to its arms. A heater's phase counts against the arm that its light meets
/// again: of theta and phi the lower arm of the same MZI, one pitch below and with heat of its own. Nothing in
/// the mesh stands beside a heater of the output screen, nor beside phi of an attenuator, whose other input is
/// dark: their reference is the oscillator of the receiver, far from all heat.
struct MeshCrosstalk {
  PhaseResponse real;   ///< phases from powers; heaters in the order theta, phi, output screen
  PhaseResponse known;  ///< as the operator's inversion has it: every neighbour's share times `known`
  SparseMatrix
      arms_rad_per_w;    ///< phases of the arms without heaters (arms, heaters): below every theta, below
                         ///< every phi, and what passes columns without an MZI (idle_arms, two each)
  double unknown = 0.0;  ///< share of those that the operator does not know of
};

/// The same for every chip of a design and every block of a layer: [layer], meshes and attenuators; layers
/// whose blocks are alike share theirs. Meshes and columns of attenuators are far apart. Throws Error, naming
/// the field, where a setting is out of range, and where d0_m joins more heaters than memory should hold.
struct ChipCrosstalk {
  std::vector<std::shared_ptr<const MeshCrosstalk>> meshes, attenuators;
};
ChipCrosstalk chip_crosstalk(const ChipDesign& design, const CrosstalkSettings& settings,
                             const UnitHardware& hardware);

/// Ports that pass a column without an MZI, (column, port) in that order.
std::vector<std::pair<int, int>> idle_arms(const MeshTopology& topology);

/// Phases of arms without heaters, rad, in the order of MeshCrosstalk::arms_rad_per_w, brought to where the
/// program has phases, exactly: what both arms of an MZI share leaves it at both ports and arrives as phi of
/// the next MZIs, and at last in the output screen.
struct CommonPhases {
  Vector phi;     ///< to be added (MZIs)
  Vector output;  ///< to be added (ports)
};
CommonPhases common_phases(const MeshTopology& topology, const Vector& arms_rad);

/// Adds to the chip's phase offsets what crosstalk makes of the phases that its heaters are asked for: powers P
/// solve Xi_known P = phase (a turn more where a power would be negative), the light gets Xi_real P, and the
/// difference is the error, with the share `unknown` of the phases that arms of an MZI have in common. That
/// taking off the known share of these moves the powers once more is not followed. The phase common to all
/// ports of a mesh, or of a column of attenuators, is no error: oscillators are locked to the light.
void add_crosstalk(const ChipDesign& design, const ChipCrosstalk& crosstalk, const ChipProgram& heaters,
                   ChipErrors& errors);

/// The same of one mesh whose heaters were measured (measured_response(); theta, phi, output screen): the
/// operator sets powers P that solve Xi_known P = phase, the light gets Xi_real P. With both alike the phases
/// are right. Nothing is taken off the output screen: its row of crosstalk is a phase against the light's
/// reference. Returns the power of all heaters, W.
double add_heater_errors(const PhaseResponse& real, const PhaseResponse& known, const MeshProgram& heaters,
                         MeshErrors& errors);

}  // namespace optinc
