#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include <Eigen/Dense>

namespace optinc {

/// A sum over predictions of classes.
struct CrossEntropy {
  double loss = 0.0;       ///< sum of -ln p_label (nats)
  std::int64_t right = 0;  ///< labels whose output is the largest; the first of equal outputs counts
};

/// The loss of outputs z, shape (classes, predictions), against labels, shape (predictions):
///   p = softmax(z) in each column,  loss = sum of -ln p_label,
/// and in the place of z  scale (p - e_label), the derivative of scale times the loss. Columns beyond the
/// labels become zero.
template <class Real>
CrossEntropy cross_entropy(Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>& z,
                           std::span<const std::uint8_t> labels, Real scale) {
  CrossEntropy result;
  const Eigen::Index predictions = std::ssize(labels);
  for (Eigen::Index i = 0; i < predictions; ++i) {
    const auto label = Eigen::Index{labels[static_cast<std::size_t>(i)]};
    auto column = z.col(i);
    Eigen::Index best = 0;
    // Subtracting the largest output leaves the softmax as it is and keeps exp from overflowing.
    const Real largest = column.maxCoeff(&best), own = column[label] - largest;
    column = (column.array() - largest).exp();
    const Real sum = column.sum();
    result.loss += std::log(static_cast<double>(sum)) - static_cast<double>(own);
    result.right += best == label ? 1 : 0;
    column *= scale / sum;
    column[label] -= scale;
  }
  z.rightCols(z.cols() - predictions).setZero();
  return result;
}

}  // namespace optinc
