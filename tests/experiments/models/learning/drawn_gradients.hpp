#pragma once

#include <Eigen/Dense>

#include "physics/random/stream.hpp"

namespace optinc {

/// Gradients of some servers, (elements, servers), all standard normal; the same at every call.
inline Eigen::MatrixXf drawn_gradients(Eigen::Index elements, Eigen::Index servers) {
  Stream stream(41, Purpose::test);
  Eigen::MatrixXf gradients(elements, servers);
  for (float& g : gradients.reshaped()) g = static_cast<float>(stream.normal());
  return gradients;
}

}  // namespace optinc
