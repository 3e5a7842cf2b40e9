#pragma once

#include "physics/core/enum_names.hpp"
#include "physics/mesh/engine/mesh_layout.hpp"
#include "physics/mesh/program.hpp"

namespace optinc {

/// A program corrected for known splitter errors, and how many MZIs could not reach what was asked of them.
template <class Real>
struct CorrectedProgramOf {
  MeshProgramOf<Real> program;
  int clipped = 0;
};
using CorrectedProgram = CorrectedProgramOf<double>;

/// What an MZI is asked to do when its splitters cannot reach the bar power that is wanted, because the bar
/// field (near cross) or the cross field (near bar) cannot be made as small as it should be:
///   nearest     both fields keep the phases wanted: least Frobenius error, all of it in the wanted quadrature
///   quadrature  the field that is too large is turned by psi = acos(wanted / reached), so that its component
///   in
///               the wanted quadrature is right and the surplus lies in the other one. For real matrices behind
///               homodyne receivers, which see one quadrature only, the first-order error then vanishes
///               (Frobenius error: sqrt(2) larger).
enum class Clipping { nearest, quadrature };

/// As users write them.
template <>
inline constexpr EnumNames enum_names<Clipping> = {"clipping", {"nearest", "quadrature"}};

/// Local error correction (Bandyopadhyay, Hamerly, Englund, Optica 8, 1247 (2021)): each MZI, in propagation
/// order, is re-programmed so that with its own splitters alpha, beta it does what the perfect MZI did, up to
/// output phases, which are carried on to the next MZIs and at last to the output screen. Exact where every bar
/// power lies in [sin^2(alpha+beta), cos^2(alpha-beta)]; elsewhere the nearest one is taken ("clipped"), with
/// the phases that `clipping` says. `alpha`, `beta`: known splitter errors, rad, shape (MZIs). Losses are not
/// corrected for.
/// `Real` is float or double; SIMD lanes are the MZIs of a column, see reference_correct_splitters() for the
/// same one by one. `corrected` keeps its memory from call to call. Throws Error where sizes are not the
/// topology's, and where a phase or splitter error is not finite.
template <class Real>
void correct_splitters(const MeshLayout& layout, const MeshProgramOf<Real>& program,
                       const VectorOf<Real>& alpha, const VectorOf<Real>& beta, Clipping clipping,
                       CorrectedProgramOf<Real>& corrected);

/// The same for a topology that is used once.
CorrectedProgram correct_splitters(const MeshTopology& topology, const MeshProgram& program,
                                   const Vector& alpha, const Vector& beta,
                                   Clipping clipping = Clipping::nearest);

}  // namespace optinc
