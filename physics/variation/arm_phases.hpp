#pragma once

#include "physics/mesh/program.hpp"

namespace optinc {

/// Phases that light picks up on the waveguides of a mesh besides those that are programmed, rad. Both stages
/// of every column have one arm per port, at column * ports + port, with or without an MZI.
struct ArmPhases {
  Vector phi, theta;  ///< (columns * ports)
  Vector output;      ///< (ports)
};

/// The offsets theta_offset, phi_offset and output_offset of a mesh with these arms: the same transfer matrix,
/// exactly. An MZI turns by the difference of its arms; what both have in common is carried on, in propagation
/// order, to the next phi of either port and at last to the output screen. With port phases p_u, p_l before it,
///
///     phi_offset = (phi_u + p_u) - (phi_l + p_l),  theta_offset = theta_u - theta_l,
///     p_u = p_l <- p_l + phi_l + theta_l.
///
/// Offsets are reduced to [-pi, pi]. `errors` keeps everything else. Throws Error where sizes are not the
/// topology's.
void set_offsets(const MeshTopology& topology, const ArmPhases& arms, MeshErrors& errors);

}  // namespace optinc
