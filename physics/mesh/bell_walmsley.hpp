#pragma once

#include <span>

#include "physics/mesh/blocks.hpp"

namespace optinc {

/// What the operator sets on a rectangular mesh of symmetric MZIs (Bell and Walmsley, APL Photonics 6, 070804
/// (2021)): phases in the arms of every MZI, and a few outside that need no room of their own, at the inputs,
/// on waveguides that pass a column along an edge, and at the outputs. All in rad.
struct SymmetricProgram {
  Vector upper, lower;  ///< arms of every MZI (MZIs)
  Vector input_phase;   ///< in front of the first column (ports)
  Vector edge_phase;    ///< where a port passes a column without an MZI: column after column, ports ascending
  Vector output_phase;  ///< behind the last column (ports)
};

/// Which of these phases a mesh of so many ports needs, true where a shifter must be: N^2 in all. Left out are:
/// the lower input ports of the first column and its idle one; the lower output ports' partners (an MZI of the
/// last column turns its upper output by its own common phase); of an odd number of ports every edge shifter
/// but the last column's (at the output); of an even number the lower arm of the first MZI of every even column
/// and the edge shifters of port 0. Throws Error outside 1..65536 ports.
struct SymmetricShifters {
  std::vector<bool> upper, lower, input_phase, edge_phase, output_phase;
  /// Shifters that are needed.
  int count() const;
};
SymmetricShifters bell_walmsley_shifters(int ports);

/// A rectangular mesh of standard MZIs (clements_topology()) said with symmetric ones: the same transfer
/// matrix. The external phase of an MZI is a difference of phases at its inputs, and the common phases of the
/// two MZIs in front of it make that difference; common phases are therefore set from top to bottom, column
/// after column. Phases in [0, 2 pi), those without a shifter 0. Throws Error where sizes are those of no
/// rectangular mesh.
SymmetricProgram bell_walmsley_program(const MeshProgram& program);

/// Phases with which a perfect mesh of symmetric MZIs has the transfer matrix `unitary` (N, N): by
/// decompose_clements(), whose errors it throws.
SymmetricProgram decompose_bell_walmsley(const Matrix& unitary);

/// The mesh by numbers, for MeshEngine and the reference mesh: phases at inputs and edges are counted to the
/// block behind them. `errors` of every MZI, none: perfect. A waveguide that passes a column loses
/// `idle_loss_db`. Throws Error where sizes are those of no rectangular mesh.
MeshBlocks mesh_blocks(const SymmetricProgram& program, std::span<const SymmetricMziErrors> errors = {},
                       double idle_loss_db = 0.0);

}  // namespace optinc
