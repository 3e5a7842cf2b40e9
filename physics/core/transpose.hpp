#pragma once

#include <cstring>
#include <utility>

#include <Eigen/Dense>

namespace optinc {
namespace detail {

constexpr int tile = 8;  ///< rows and columns that are exchanged in registers

/// GCC and Clang compile it for the registers that there are.
template <class Real>
using TileRow [[gnu::vector_size(tile * sizeof(Real))]] = Real;

/// Exchanges the numbers of two rows that lie on the wrong side of the diagonal, `step` columns apart.
template <int step, class Row, int... j>
void exchange(Row& upper, Row& lower, std::integer_sequence<int, j...>) {
  const Row kept = __builtin_shufflevector(upper, lower, ((j & step) != 0 ? tile + j - step : j)...);
  lower = __builtin_shufflevector(upper, lower, ((j & step) != 0 ? tile + j : j + step)...);
  upper = kept;
}

/// Transposes a tile by exchanges between rows 4, 2 and 1 apart.
template <class Row, int step = tile / 2>
void transpose_tile(Row (&rows)[tile]) {
  for (int i = 0; i < tile; ++i)
    if ((i & step) == 0) exchange<step>(rows[i], rows[i + step], std::make_integer_sequence<int, tile>());
  if constexpr (step > 1) transpose_tile<Row, step / 2>(rows);
}

}  // namespace detail

/// to = scale * from, both (rows, columns), from a matrix stored by columns to one stored by rows. Eigen moves
/// one number at a time; here, tiles of 8 x 8 are turned in registers. Shapes must agree.
template <class Real>
void assign_by_rows(Real scale,
                    const Eigen::Ref<const Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>>& from,
                    Eigen::Ref<Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> to) {
  using Row = detail::TileRow<Real>;
  constexpr Eigen::Index n = detail::tile;
  const Eigen::Index rows = from.rows() / n * n, columns = from.cols() / n * n;
  for (Eigen::Index r = 0; r < rows; r += n)
    for (Eigen::Index c = 0; c < columns; c += n) {
      Row tile[detail::tile];
      for (Eigen::Index i = 0; i < n; ++i) {
        std::memcpy(&tile[i], &from.coeffRef(r, c + i), sizeof(Row));
        tile[i] *= scale;
      }
      detail::transpose_tile(tile);
      for (Eigen::Index i = 0; i < n; ++i) std::memcpy(&to.coeffRef(r + i, c), &tile[i], sizeof(Row));
    }
  const Eigen::Index below = from.rows() - rows, beside = from.cols() - columns;
  to.bottomRows(below) = scale * from.bottomRows(below);
  to.topRightCorner(rows, beside) = scale * from.topRightCorner(rows, beside);
}

}  // namespace optinc
