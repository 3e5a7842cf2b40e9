#pragma once

#include "physics/mesh/program.hpp"

namespace optinc {

/// A program corrected for known splitter errors, and how many MZIs could not reach what was asked of them.
struct CorrectedProgram {
  MeshProgram program;
  int clipped = 0;
};

/// Local error correction (Bandyopadhyay, Hamerly, Englund, Optica 8, 1247 (2021)): each MZI, in propagation
/// order, is re-programmed so that with its own splitters alpha, beta it does what the perfect MZI did, up to
/// output phases, which are carried on to the next MZIs and at last to the output screen. Exact where every bar
/// power lies in [sin^2(alpha+beta), cos^2(alpha-beta)]; elsewhere the nearest one is taken ("clipped").
/// `alpha`, `beta`: known splitter errors, rad, shape (MZIs). Losses are not corrected for.
CorrectedProgram correct_splitters(const MeshTopology& topology, const MeshProgram& program, const Vector& alpha,
                                   const Vector& beta);

}  // namespace optinc
