#pragma once

#include <Eigen/Dense>

namespace optinc {

/// Learners compute in float, and in double where tests check their gradients.
template <class Real>
using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
/// A column, (n).
template <class Real>
using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

}  // namespace optinc
