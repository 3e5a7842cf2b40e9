#pragma once

#include "physics/core/enum_names.hpp"
#include "physics/mesh/program.hpp"

namespace optinc {

/// Ways to say the phases of one and the same mesh. B is the 2x2 matrix of a block on its (upper, lower) ports,
/// b = B a for fields as columns; BS = [[1, i], [i, 1]] / sqrt(2). Where light meets phi at a block's input, a
/// screen of phases stands at the outputs, U = diag(e^{i screen}) B_last .. B_0; where it meets phi at a
/// block's output, the screen stands at the inputs, U = B_last .. B_0 diag(e^{i screen}).
enum class PhaseConvention {
  /// This project's: T = BS diag(e^{i theta}, 1) BS diag(e^{i phi}, 1), theta in [0, pi]; screen at the
  /// outputs.
  optinc,
  /// Clements et al., Optica 3, 1460 (2016), eq. 1: [[e^{i phi} cos w, -sin w], [e^{i phi} sin w, cos w]], w =
  /// theta in [0, pi/2]; screen at the outputs. T(theta, phi) = -i e^{i theta/2} T_Clements(pi/2 - theta/2,
  /// phi + pi).
  clements,
  /// The package interferometer (github.com/clementsw/interferometer, Beamsplitter in main.py): Clements'
  /// matrix,
  /// modes counted from 1, output_phases the screen.
  interferometer,
  /// Strawberry Fields, decompositions.T and rectangular_phase_end (strawberryfields.readthedocs.io): Clements'
  /// matrix, as Rgate(phi) on m and BSgate(theta, 0) on (m, n); screen at the outputs.
  strawberryfields,
  /// Strawberry Fields, ops.MZgate(phi_in, phi_ex), phi_in = theta and phi_ex = phi: [[(e^{i theta} - 1)
  /// e^{i phi}, i (1 + e^{i theta})], [i (1 + e^{i theta}) e^{i phi}, 1 - e^{i theta}]] / 2, which is this
  /// project's T; screen at the outputs.
  strawberryfields_mzgate,
  /// Perceval, catalog "mzi phase first" (github.com/Quandela/Perceval, core_catalog/mzi.py): (0, PS(phi_a)),
  /// BS,
  /// (0, PS(phi_b)), BS in light's order with BS() in its Rx convention, phi_a = phi and phi_b = theta: this
  /// project's T; screen (PS) at the outputs.
  perceval_phase_first,
  /// Perceval, catalog "mzi phase last": BS, (1, PS(phi_a)), BS, (1, PS(phi_b)), phi_a = theta and phi_b = phi:
  /// diag(1, e^{i phi}) BS diag(1, e^{i theta}) BS; screen (PS) at the inputs.
  perceval_phase_last,
  /// neurophox's default, hadamard = False and basis "bloch" (github.com/solgaardlab/neurophox,
  /// components/mzi.py: BlochMZI, numpy/generic.py): M = i [[e^{i phi} s, c], [e^{i phi} c, -s]], s, c = sin,
  /// cos(theta/2), acts on rows, x M, so that B = M^T = i diag(e^{i phi}, 1) [[s, c], [c, -s]]; gamma is the
  /// screen at the inputs. A layer's `matrix` is U^T.
  neurophox,
  /// neurophox with hadamard = True, basis "bloch": B = diag(e^{i phi}, 1) [[c, i s], [i s, c]]; the rest the
  /// same. (theta = 0 is bar.)
  neurophox_hadamard
};

/// As users write them.
template <>
inline constexpr EnumNames enum_names<PhaseConvention> = {
    "phase convention",
    {"optinc", "clements", "interferometer", "strawberryfields", "strawberryfields-mzgate",
     "perceval-phase-first", "perceval-phase-last", "neurophox", "neurophox-hadamard"}};

/// Phases of a whole mesh in some convention, rad; blocks in this project's order.
struct ConventionProgram {
  Vector theta, phi;  ///< (blocks)
  Vector screen;      ///< (ports), at the outputs or inputs as the convention says
};

/// The 2x2 matrix of one block.
Matrix2 convention_block(PhaseConvention convention, double theta, double phi);

/// Whether the screen is in front of the first column (true) or behind the last one.
bool screen_at_inputs(PhaseConvention convention);

/// The same transfer matrix said in another convention, for a mesh of any topology that has a screen on its
/// side (a rectangle, a triangle). Phases that blocks have more or less in common are carried on from block to
/// block, along the light to a screen at the outputs, against it to one at the inputs. theta in [0, pi] ([0,
/// pi/2] for Clements' matrix), phi and screen in [0, 2 pi). Where one side of a block is dark phi is 0. Throws
/// Error where sizes are not the topology's.
ConventionProgram convert_program(const MeshTopology& topology, const ConventionProgram& program,
                                  PhaseConvention from, PhaseConvention to);

/// From this project's phases, and back to them.
ConventionProgram to_convention(const MeshTopology& topology, const MeshProgram& program, PhaseConvention to);
MeshProgram from_convention(const MeshTopology& topology, const ConventionProgram& program,
                            PhaseConvention from);

}  // namespace optinc
