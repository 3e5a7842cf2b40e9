#pragma once

#include <Eigen/Dense>

namespace optinc {

/// Learners compute in float, and in double where tests check their gradients.
template <class Real>
using MatrixOf = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
/// A column, (n).
template <class Real>
using VectorOf = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

}  // namespace optinc
