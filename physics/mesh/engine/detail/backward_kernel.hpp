#pragma once

#include <cmath>

#include "physics/mesh/engine/detail/inverse_mesh.hpp"
#include "physics/mesh/engine/field_blocks.hpp"
#include "physics/mesh/engine/mesh_layout.hpp"

namespace optinc {

/// Sums over words on the way back. MZI k: G = sum of x lambda^H with x in front of it and lambda behind,
/// scaled; Gram sums of a share of the words.
template <class Real>
struct GramSums {
  AlignedVector<Real> mzis;    ///< [MZI][re and im of G_00, G_01, G_10, G_11][partial sums]
  std::vector<Real> idle;      ///< [idle port of a column][re, im]
  std::vector<Real> outputs;   ///< [port][re, im] of x conj(lambda) at the outputs
  std::size_t partials = 1;    ///< partial sums of each number, to be added
  double largest_input = 0.0;  ///< largest field component that was sent
  double largest_error = 0.0;  ///< largest difference of what the inversion found to it
};

/// The larger of two errors; NaN, which no comparison would keep, where one is NaN.
template <class Real>
Real larger_or_nan(Real a, Real b) {
  return a >= b || std::isnan(a) ? a : b;
}

/// Sets a mesh up for the way back. Returns whether every number is finite: not so where an MZI cannot be
/// inverted.
bool settle_inverse(const MeshLayout& layout, const MeshParameters<float>& parameters,
                    InverseMesh<float>& mesh);
bool settle_inverse(const MeshLayout& layout, const MeshParameters<double>& parameters,
                    InverseMesh<double>& mesh);
bool settle_inverse(const MeshLayout& layout, const BlockParameters<float>& blocks, InverseMesh<float>& mesh);
bool settle_inverse(const MeshLayout& layout, const BlockParameters<double>& blocks, InverseMesh<double>& mesh);

/// What the way back reads and writes, blocks of the same shape all.
template <class Real>
struct BackwardFields {
  const FieldBlocks<Real>& inputs;    ///< that were sent: what the inversion must find
  const FieldBlocks<Real>& outputs;   ///< that came out
  const FieldBlocks<Real>& gradient;  ///< of the loss at the outputs
  FieldBlocks<Real>& input_gradient;  ///< becomes that at the inputs; may not be the same object
};

/// Registers of words that walk back together: their Gram sums are folded once for all, which costs as much as
/// a quarter of the arithmetic of one. On Zen 4 four take 6 to 13 % less time than two, and two 10 to 18 % less
/// than one (16 to 128 ports, float and double, AVX-512; row backward_blocks of the benchmarks).
inline constexpr std::size_t registers_at_once = 4;

/// Columns that are walked back in one tile of ports before the next tile. Each of them moves its border by a
/// port.
inline constexpr std::size_t columns_at_once = 8;

/// Walks `count` registers of words from the first_register-th on back through the mesh, by fours, then by twos
/// and ones, and adds what they contribute to `sums`, which starts empty or from an earlier call. Words are
/// summed in the same order whatever the width of the blocks that they lie in, and however many ports make a
/// `tile` (at least one).
void walk_back(const MeshLayout& layout, const InverseMesh<float>& mesh, const BackwardFields<float>& fields,
               std::size_t first_register, std::size_t count, std::size_t tile, GramSums<float>& sums);
void walk_back(const MeshLayout& layout, const InverseMesh<double>& mesh, const BackwardFields<double>& fields,
               std::size_t first_register, std::size_t count, std::size_t tile, GramSums<double>& sums);

}  // namespace optinc
