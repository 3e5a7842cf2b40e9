#pragma once

#include <vector>

#include "physics/core/enum_names.hpp"
#include "physics/devices/mzi_variants.hpp"
#include "physics/mesh/correction.hpp"
#include "physics/mesh/program.hpp"

namespace optinc {

/// A mesh as numbers in place of devices: any 2x2 matrices on the pairs of a topology.
struct MeshBlocks {
  std::vector<Matrix2> blocks;  ///< (pairs), topology order
  Eigen::VectorXcd screen;      ///< field factors behind the last column (ports)
  double idle_factor = 1.0;     ///< field factor of a waveguide that passes a column without a block
};

/// Kind of block at the pairs of a mesh. All kinds take the same two phases per block.
enum class MziKind {
  standard,        ///< mzi()
  real,            ///< real_mzi(): real orthogonal targets need phi = 0 or pi only
  three_splitter,  ///< three_splitter_mzi(): corrected errors do not grow with the mesh
  balanced  ///< balanced_three_splitter_mzi(): errors of real orthogonal targets can be corrected exactly
};

/// As users write them.
template <>
inline constexpr EnumNames enum_names<MziKind> = {"kind of MZI",
                                                  {"standard", "real", "three-splitter", "balanced"}};

/// Whether blocks of a kind have a third splitter: three_splitter and balanced.
bool has_third_splitter(MziKind kind);

/// Errors of a mesh of any kind: those of standard MZIs and what the variants add (MziVariantErrors).
struct MeshVariantErrors {
  MeshErrors mzis;
  Vector gamma;          ///< rad (MZIs); of kinds with a third splitter
  Vector common_offset;  ///< rad (MZIs); of every kind
  Vector output_offset;  ///< rad (MZIs); of MziKind::balanced
};

/// The perfect mesh of a topology, of any kind.
MeshVariantErrors no_variant_errors(const MeshTopology& topology);

/// Splitter errors that a calibration found, rad (MZIs).
struct KnownSplitters {
  Vector alpha, beta, gamma;
};

/// One block of a kind, e^{i common_offset} times mzi() for standard ones.
Matrix2 block_of_kind(MziKind kind, const MziSettings& settings, const MziVariantErrors& errors = {});

/// The mesh of standard MZIs by numbers: what MeshEngine and the reference mesh take.
MeshBlocks mesh_blocks(const MeshTopology& topology, const MeshProgram& program, const MeshErrors& errors);

/// The same for any kind. Waveguides that pass a column lose column_field_factor(); a third splitter loses
/// nothing. Throws Error where sizes are not the topology's.
MeshBlocks mesh_blocks(const MeshTopology& topology, MziKind kind, const MeshProgram& program,
                       const MeshVariantErrors& errors);

/// Programs blocks of a kind to do what a program of perfect standard MZIs on the same topology does, with
/// their splitters known (local correction, Bandyopadhyay et al., Optica 8, 1247, 2021; three splitters:
/// Hamerly et al., Nat. Commun. 13, 6831, 2022; their balanced form is derived here). With M what a block is
/// asked for, the phases that blocks in front of it left over included, and M1 = M DC(pi/4+gamma)^H for the
/// kinds of three splitters (M1 = M for others):
///   sin^2(theta/2) = (|M1_00|^2 - sin^2(alpha+beta)) / (cos 2alpha cos 2beta), clipped to [0, 1],
///   phi            = arg(M1_00 / M1_01) - arg(T_00 / T_01) at this theta and phi = 0,
/// and each output leaves over the phase of sum_j M_ij conj(B_ij), B the block so set; the output screen makes
/// up for those of the last blocks. Exact where nothing clips. With errors of zero it is the decomposition for
/// that kind. Losses are not corrected for. Throws Error where sizes are not the topology's.
CorrectedProgram program_blocks(const MeshTopology& topology, MziKind kind, const MeshProgram& wanted,
                                const KnownSplitters& splitters);

/// Phases with which a perfect rectangular mesh of a kind has the transfer matrix `unitary` (N, N). A real
/// matrix on MziKind::real has phi and output phases of exactly 0 or pi; on MziKind::balanced every theta is
/// pi/2. Throws Error as decompose_clements() does.
MeshProgram decompose(MziKind kind, const Matrix& unitary);

}  // namespace optinc
