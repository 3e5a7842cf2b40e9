#pragma once

#include "physics/mesh/program.hpp"

namespace optinc {

/// A program corrected for known splitter errors, and how many MZIs could not reach what was asked of them.
struct CorrectedProgram {
  MeshProgram program;
  int clipped = 0;
};

/// What an MZI is asked to do when its splitters cannot reach the bar power that is wanted, because the bar
/// field (near cross) or the cross field (near bar) cannot be made as small as it should be:
///   nearest     both fields keep the phases wanted: least Frobenius error, all of it in the wanted quadrature
///   quadrature  the field that is too large is turned by psi = acos(wanted / reached), so that its component
///   in
///               the wanted quadrature is right and the surplus lies in the other one. For real matrices behind
///               homodyne receivers, which see one quadrature only, the first-order error then vanishes
///               (Frobenius error: sqrt(2) larger).
enum class Clipping { nearest, quadrature };

/// Local error correction (Bandyopadhyay, Hamerly, Englund, Optica 8, 1247 (2021)): each MZI, in propagation
/// order, is re-programmed so that with its own splitters alpha, beta it does what the perfect MZI did, up to
/// output phases, which are carried on to the next MZIs and at last to the output screen. Exact where every bar
/// power lies in [sin^2(alpha+beta), cos^2(alpha-beta)]; elsewhere the nearest one is taken ("clipped"), with
/// the phases that `clipping` says. `alpha`, `beta`: known splitter errors, rad, shape (MZIs). Losses are not
/// corrected for.
CorrectedProgram correct_splitters(const MeshTopology& topology, const MeshProgram& program,
                                   const Vector& alpha, const Vector& beta,
                                   Clipping clipping = Clipping::nearest);

}  // namespace optinc
