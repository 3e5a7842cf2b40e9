#pragma once

#include <span>
#include <vector>

#include "physics/core/field.hpp"
#include "physics/devices/mzi.hpp"

namespace optinc {

/// The 2x2 matrix of a perfect MZI, from its phasors instead of its phases: with s = sin(theta/2), c =
/// cos(theta/2) and half = e^{i theta/2} = c + i s, T = i half [[turn s, c], [turn c, -s]],  turn = e^{i phi}.
struct PerfectMzi {
  double s = 0.0, c = 1.0;
  Complex turn = 1.0;

  /// The phases: theta in [0, pi], phi in (-pi, pi].
  MziSettings settings() const;
};

/// A square matrix whose elements perfect MZIs null one after the other, from the right and from the left: real
/// and imaginary parts apart, columns padded to whole cache lines but not to a power of two, so that columns
/// are streamed and do not fight for one cache set.
class NullingMatrix {
 public:
  /// Starts from the matrix that is to be decomposed.
  explicit NullingMatrix(const Matrix& matrix);

  /// columns (column, column + 1) <- those times T^H with the MZI, which is returned, that makes element (row,
  /// column) 0. Rows below `row` must be 0 in both columns already and are left alone.
  PerfectMzi null_from_right(int row, int column);

  /// A chain of MZIs T_0, T_1 .. on rows (first - 1, first), (first, first + 1) .. from the left, the matrix <-
  /// .. T_1 T_0 matrix: T_j nulls element (first + j, j), j < count; elements left of the ones nulled must be 0
  /// already.
  std::vector<PerfectMzi> null_chain_from_left(int first, int count);

  Complex operator()(int row, int column) const { return {re_[at(row, column)], im_[at(row, column)]}; }

 private:
  std::size_t at(int row, int column) const {
    return static_cast<std::size_t>(column) * pitch_ + static_cast<std::size_t>(row);
  }
  struct Elements;
  template <std::size_t Columns>
  void apply_chain(std::span<const Elements> chain, int first, int column);

  int size_;
  std::size_t pitch_;
  std::vector<double> re_, im_;
};

}  // namespace optinc
