#pragma once

#include <memory>
#include <optional>

#include "physics/core/enum_names.hpp"
#include "physics/mesh/blocks.hpp"
#include "physics/mesh/engine/field_blocks.hpp"
#include "physics/mesh/engine/mesh_layout.hpp"
#include "physics/mesh/engine/scaled_mesh.hpp"
#include "physics/mesh/mesh_gradient.hpp"
#include "physics/mesh/program.hpp"

namespace optinc {

/// The ways to send fields through a mesh. All give the same fields within rounding.
enum class MeshPath {
  automatic,      ///< what choose_mesh_path() says for the ports and words
  reference,      ///< MZI by MZI in double, from mzi(); slow, obvious, never optimised
  direct,         ///< MZI by MZI in scaled form, SIMD lanes are words
  single_vector,  ///< MZI by MZI in scaled form, SIMD lanes are the MZIs of a column
  matrix  ///< the transfer matrix when settled, then three real matrix products in place of a complex one
};

/// As users write them.
template <>
inline constexpr EnumNames enum_names<MeshPath> = {"mesh path",
                                                   {"auto", "reference", "direct", "single-vector", "matrix"}};

/// The path for one call with so many words on so many ports: single-vector for one or two words (fast where
/// columns are runs of neighbours), else direct. It knows nothing of threads or of earlier calls, so that a
/// result depends on neither.
MeshPath choose_mesh_path(Eigen::Index ports, Eigen::Index words);

/// What backward() may do. The defaults are fast and safe.
struct BackwardOptions {
  bool compress = true;  ///< more words than twice the ports: basis vectors in their place
  bool invert = true;    ///< walk back by inverting MZIs where that is accurate; false: always checkpoints
  std::size_t tile = 0;  ///< ports whose fields walk back together; 0: what the first-level cache holds. No bit
                         ///< depends on it
};

/// Derivatives of a real loss with respect to the numbers of a mesh settled from MeshBlocks; convention of
/// MeshGradientOf: dL = Re sum conj(gradient) d(number). Of a parameter p of block k: dL/dp = Re sum_ij
/// conj(blocks[k]_ij) dT_ij/dp.
struct BlockGradient {
  std::vector<Matrix2> blocks;  ///< (blocks)
  Eigen::VectorXcd screen;      ///< (ports)
};

/// Result of reverse mode, and the method used.
template <class Real>
struct BackwardResult {
  MeshGradientOf<Real> parameters;  ///< of the loss with respect to all that makes the mesh; empty after
                                    ///< settle() from blocks
  bool compressed = false;
  bool inverted = true;          ///< false: computed from checkpoints
  double inversion_error = 0.0;  ///< largest error of a field found at the inputs, over the largest input field
  BlockGradient blocks = {};     ///< after settle() from blocks; empty otherwise
};

/// One mesh, ready to take fields: the fast counterpart of reference_transfer_matrix() and
/// reference_mesh_gradient(), for any topology of disjoint pairs, any losses and any number of words. Made once
/// for a wiring, settled as often as phases or errors change (its memory is kept), a value to be copied. `Real`
/// is float or double. Results do not depend on the number of threads.
///
///     MeshEngine<float> engine(clements_topology(64));
///     engine.settle(program, errors);
///     engine.propagate(fields);
template <class Real>
class MeshEngine {
 public:
  MeshEngine() = default;

  /// An engine for this wiring, to be settled. Throws Error where the topology is no list of columns of
  /// disjoint pairs of its ports.
  explicit MeshEngine(const MeshTopology& topology, MeshPath path = MeshPath::automatic);

  /// Sets every MZI up from phases and errors. `for_backward`: keeps a copy of them, which backward() needs.
  /// Throws Error where their sizes are not the topology's, and where a parameter is NaN or infinite, a phase
  /// beyond largest_phase_rad, or an MZI lets no light pass, with the number of the MZI or port; the engine is
  /// unsettled then.
  void settle(const MeshProgramOf<Real>& program, const MeshErrorsOf<Real>& errors, bool for_backward = false);

  /// The same for a mesh without errors, in less time: there are no arrays of zeros to be read.
  void settle(const MeshProgramOf<Real>& program, bool for_backward = false);

  /// Sets the mesh up from given matrices: a column mesh of any 2x2 blocks. Throws Error where sizes are not
  /// the topology's, and where a number is NaN or infinite or a block lets no light of an input pass, with the
  /// number of the block or port; the engine is unsettled then.
  void settle(const MeshBlocks& blocks, bool for_backward = false);

  /// Sends fields (ports, words) through the mesh, in place, by the path of this engine. Words are shared out
  /// to `threads` threads (0: as many as OpenMP is set to) by the direct and the matrix path; the others take
  /// one. Throws Error where the ports differ or the mesh was not settled.
  void propagate(FieldBatchOf<Real>& fields, int threads = 1) const;

  /// The same for fields in the kernels' own form, always by the direct path: nothing is copied.
  void propagate(FieldBlocks<Real>& fields, int threads = 1) const;

  /// Reverse mode. `inputs` are the fields that were sent, `outputs` what propagate() made of them, `gradient`
  /// that of a real loss L at the outputs (convention: MeshGradientOf); it is replaced by the gradient at the
  /// inputs. All (ports, words).
  ///
  /// Walks the columns back and inverts each MZI, so that no field between columns is stored; lambda <- T^H
  /// lambda goes along, and G = sum over words of x lambda^H (2, 2) at each MZI gives the derivative for each
  /// of its parameters. Where losses are so unequal that inverting amplifies rounding too far (seen by
  /// comparing what it finds at the inputs with `inputs`), all is computed again from checkpoints. G depends on
  /// the words through M = X Lambda^H (N, N) alone: for more than 2N words the basis vectors with the gradient
  /// M^H are sent in their place. Words are summed in shares of a fixed size, whatever the threads. Throws
  /// Error where shapes differ or the mesh was not settled for it.
  BackwardResult<Real> backward(const FieldBatchOf<Real>& inputs, const FieldBatchOf<Real>& outputs,
                                FieldBatchOf<Real>& gradient, int threads = 1,
                                const BackwardOptions& options = {}) const;

  /// The same for fields in the kernels' own form, never compressed; `input_gradient` is another object than
  /// `gradient`, `inputs` and `outputs`.
  BackwardResult<Real> backward(const FieldBlocks<Real>& inputs, const FieldBlocks<Real>& outputs,
                                const FieldBlocks<Real>& gradient, FieldBlocks<Real>& input_gradient,
                                int threads = 1, const BackwardOptions& options = {}) const;

  /// Transfer matrix (ports, ports): the unit vectors sent through the mesh, by the direct path.
  Matrix transfer_matrix() const;

  /// The mesh that the plan was made for.
  const MeshTopology& topology() const {
    require_wired();
    return plan_->topology;
  }
  /// Where the kernel finds its columns.
  const MeshLayout& layout() const {
    require_wired();
    return plan_->layout;
  }

 private:
  struct Plan {
    MeshTopology topology;
    MeshLayout layout;
    VectorOf<Real> zeros;  ///< (the larger of MZIs and ports): every error of a mesh that has none
  };
  struct Settings {
    MeshProgramOf<Real> program;
    MeshErrorsOf<Real> errors;
    std::optional<MeshBlocks> blocks;  ///< in place of the two
  };

  template <class Errors>
  void settle_with(const MeshProgramOf<Real>& program, const MeshParameters<Real>& parameters, Errors errors,
                   bool for_backward);
  void require_wired() const;
  void require_settled(std::size_t ports) const;
  void require_settled(const FieldBatchOf<Real>& fields) const;
  void require_settled_for_backward() const;
  FieldBatchOf<Real> transfer_planes() const;
  BackwardResult<Real> compressed_backward(const FieldBatchOf<Real>& inputs, FieldBatchOf<Real>& gradient,
                                           int threads, const BackwardOptions& options) const;

  std::shared_ptr<const Plan> plan_;
  MeshPath path_ = MeshPath::automatic;
  bool settled_ = false;
  ScaledMesh<Real> scaled_;
  std::shared_ptr<const Settings> settings_;  ///< kept for backward and for the reference path
  FieldBatchOf<Real> matrix_;                 ///< of the matrix path
};

/// Transfer matrix (ports, ports) of a mesh in double precision, by the engine.
Matrix transfer_matrix(const MeshTopology& topology, const MeshProgram& program, const MeshErrors& errors);

}  // namespace optinc
