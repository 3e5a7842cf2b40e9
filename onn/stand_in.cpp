#include "onn/stand_in.hpp"

#include <cmath>
#include <span>

#include "physics/random/stream.hpp"

namespace optinc {

Network with_matrix_errors(Network network, double relative_error, std::uint64_t seed, std::uint32_t chip) {
  std::uint32_t block = 0;
  for (SigmaULayer& layer : network.layers)
    for (Eigen::MatrixXd& u : layer.unitary) {
      Stream stream(seed, Purpose::stand_in, chip, block++);
      Eigen::MatrixXd error(u.rows(), u.cols());
      stream.normals(std::span(error.data(), static_cast<std::size_t>(error.size())));
      u += relative_error / std::sqrt(static_cast<double>(u.rows())) * error;
    }
  return network;
}

}  // namespace optinc
