#pragma once

#include <algorithm>
#include <vector>

#include <Eigen/Dense>

#include "physics/core/parallel.hpp"

namespace optinc {

/// Numbers, (ports, words).
template <class Real>
struct NumberPlane {
  Eigen::Index rows = 0, words = 0;
  std::vector<Real> numbers;  ///< a port's words together

  NumberPlane() = default;
  /// Zeros.
  NumberPlane(Eigen::Index ports, Eigen::Index of_words)
      : rows(ports), words(of_words), numbers(static_cast<std::size_t>(ports * of_words)) {}
  Real& operator()(Eigen::Index p, Eigen::Index w) { return numbers[static_cast<std::size_t>(p * words + w)]; }
  const Real& operator()(Eigen::Index p, Eigen::Index w) const {
    return numbers[static_cast<std::size_t>(p * words + w)];
  }
};

/// Adds factor times row `from` of a plane to row `to` of another; nothing where one is empty.
template <class Real>
void add_row(const NumberPlane<Real>& a, Eigen::Index from, double factor, NumberPlane<Real>& b,
             Eigen::Index to) {
  if (factor == 0 || a.rows == 0 || b.rows == 0) return;
  for (Eigen::Index w = 0; w < a.words; ++w) b(to, w) += factor * a(from, w);
}

/// A plane as a matrix of doubles, derivatives beside their numbers.
template <class Real>
auto as_doubles(const NumberPlane<Real>& plane) {
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  constexpr auto numbers = static_cast<Eigen::Index>(sizeof(Real) / sizeof(double));
  return Eigen::Map<const Rows>(reinterpret_cast<const double*>(plane.numbers.data()), plane.rows,
                                plane.words * numbers);
}

/// out += matrix x in; nothing where a plane is empty.
template <class Real>
void add_product(const Eigen::MatrixXd& matrix, const NumberPlane<Real>& in, NumberPlane<Real>& out) {
  if (in.rows == 0 || out.rows == 0) return;
  constexpr Eigen::Index at_once = 512;  // columns
  const auto from = as_doubles(in);
  parallel_for((from.cols() + at_once - 1) / at_once, [&](Eigen::Index part) {
    const Eigen::Index first = part * at_once, columns = std::min(at_once, from.cols() - first);
    const Eigen::MatrixXd product = matrix * from.middleCols(first, columns);
    for (Eigen::Index p = 0; p < product.rows(); ++p) {
      auto* row = reinterpret_cast<double*>(&out(p, 0)) + first;
      for (Eigen::Index c = 0; c < columns; ++c) row[c] += product(p, c);
    }
  });
}

}  // namespace optinc
