#pragma once

#include <limits>

#include <Eigen/Dense>

#include "physics/core/check.hpp"

namespace optinc {

/// ||a - b|| / ||b|| in Euclidean norm, differences and sums in double. 0 where both are zero, infinity where
/// only b is. Throws Error for vectors of unlike length.
inline double relative_error(const Eigen::Ref<const Eigen::VectorXf>& a,
                             const Eigen::Ref<const Eigen::VectorXf>& b) {
  validate(a.size() == b.size(),
           "vectors of {} and {} elements (their difference has no meaning). Compare equal lengths.", a.size(),
           b.size());
  const double difference = (a.cast<double>() - b.cast<double>()).norm(), norm = b.cast<double>().norm();
  if (norm > 0.0) return difference / norm;
  return difference > 0.0 ? std::numeric_limits<double>::infinity() : 0.0;
}

}  // namespace optinc
