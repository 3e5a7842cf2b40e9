#pragma once

#include <functional>

#include <Eigen/Dense>

#include "tests/support/catch.hpp"

namespace optinc {

/// The derivative of `loss` at p by central differences of fourth order,
///   (8 (f(p + h) - f(p - h)) - (f(p + 2 h) - f(p - 2 h))) / (12 h),
/// off by h^4 and by rounding 1e-16 / h; h = 1e-3 balances them near 1e-12 for losses and derivatives near one.
inline Eigen::VectorXd central_difference(const std::function<double(const Eigen::VectorXd&)>& loss,
                                          Eigen::VectorXd p, double h) {
  Eigen::VectorXd gradient(p.size());
  for (Eigen::Index i = 0; i < p.size(); ++i) {
    const double here = p[i];
    const auto at = [&](double offset) {
      p[i] = here + offset;
      return loss(p);
    };
    gradient[i] = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
    p[i] = here;
  }
  return gradient;
}

/// Holds a gradient to the derivative of `loss` at p, to a share `tolerance` of its norm.
inline void check_derivative(const std::function<double(const Eigen::VectorXd&)>& loss,
                             const Eigen::VectorXd& p, const Eigen::VectorXd& gradient, double h,
                             double tolerance) {
  const Eigen::VectorXd numeric = central_difference(loss, p, h);
  REQUIRE(gradient.size() == numeric.size());
  const double error = (gradient - numeric).norm() / numeric.norm();
  INFO("relative error " << error);
  CHECK(error < tolerance);
}

}  // namespace optinc
