#include "onn/network/weight_noise.hpp"

#include <cmath>
#include <span>

#include "physics/random/stream.hpp"

namespace optinc {

Network with_matrix_errors(Network network, double relative_error, double left_out, std::uint64_t seed,
                           std::uint32_t chip) {
  std::uint32_t block = 0;
  for (SigmaULayer& layer : network.layers) {
    const Eigen::MatrixXd meant = layer.weight();
    for (Eigen::MatrixXd& u : layer.unitary) {
      Stream stream(seed, Purpose::stand_in, chip, block++);
      Eigen::MatrixXd error(u.rows(), u.cols());
      stream.normals(std::span(error.data(), static_cast<std::size_t>(error.size())));
      u += relative_error / std::sqrt(static_cast<double>(u.rows())) * error;
    }
    Eigen::VectorXd lacking(layer.inputs);
    for (int i = 0; i < layer.inputs; ++i)
      lacking[i] = layer.reads[static_cast<std::size_t>(i)] < network.task.input_digits() ? left_out : 0.0;
    layer.bias += (meant - layer.weight()) * lacking;
  }
  return network;
}

}  // namespace optinc
