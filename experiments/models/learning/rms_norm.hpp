#pragma once

#include <cmath>

#include "experiments/models/learning/matrix.hpp"

namespace optinc {

/// What rms_norm_backward needs of the forward pass.
template <class Real>
struct RmsNormWork {
  MatrixOf<Real> normal;                           ///< x / rms, (width, tokens)
  Eigen::Matrix<Real, 1, Eigen::Dynamic> inverse;  ///< 1 / rms, (tokens)
};

/// Root-mean-square normalisation (Zhang and Sennrich 2019) of every token, a column of x, shape (width,
/// tokens):
///   y = gain x / rms,   rms = sqrt(mean x^2 + 1e-5),   gain of shape (width).
template <class Real>
void rms_norm(const Real* gain, const MatrixOf<Real>& x, RmsNormWork<Real>& work, MatrixOf<Real>& y) {
  const Eigen::Map<const VectorOf<Real>> gains(gain, x.rows());
  work.normal.resize(x.rows(), x.cols());
  work.inverse.resize(x.cols());
  y.resize(x.rows(), x.cols());
  const Real share = Real{1} / static_cast<Real>(x.rows());
  for (Eigen::Index t = 0; t < x.cols(); ++t) {
    work.inverse[t] = Real{1} / std::sqrt(x.col(t).squaredNorm() * share + Real{1e-5});
    work.normal.col(t) = work.inverse[t] * x.col(t);
    y.col(t) = gains.cwiseProduct(work.normal.col(t));
  }
}

/// Adds d loss / d x to dx, given dy, and the derivatives of the gains to `gain_gradient`, shape (width).
template <class Real>
void rms_norm_backward(const Real* gain, const RmsNormWork<Real>& work, const MatrixOf<Real>& dy,
                       Real* gain_gradient, MatrixOf<Real>& dx) {
  const Eigen::Map<const VectorOf<Real>> gains(gain, dy.rows());
  Eigen::Map<VectorOf<Real>> gradient(gain_gradient, dy.rows());
  const Real share = Real{1} / static_cast<Real>(dy.rows());
  for (Eigen::Index t = 0; t < dy.cols(); ++t) {
    gradient += dy.col(t).cwiseProduct(work.normal.col(t));
    const Real along = share * dy.col(t).cwiseProduct(gains).dot(work.normal.col(t));
    dx.col(t) += work.inverse[t] * (dy.col(t).cwiseProduct(gains) - along * work.normal.col(t));
  }
}

}  // namespace optinc
