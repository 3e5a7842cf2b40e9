#pragma once

#include "onn/network/full_svd.hpp"
#include "physics/random/haar.hpp"

namespace optinc {

/// A network of Haar-orthogonal blocks with signed sigmas and random biases: exercises everything, means
/// nothing.
inline Network random_network(const Task& task, std::vector<int> hidden, std::uint64_t seed = 1) {
  Network network = make_network(task, hidden);
  Stream stream(seed, Purpose::test);
  for (auto& layer : network.layers) {
    for (auto& u : layer.unitary) u = haar_orthogonal(layer.block_size(), stream);
    for (auto& s : layer.sigma)
      for (double& x : s) x = 0.3 + 1.2 * stream.uniform() * (stream.uniform() < 0.5 ? -1 : 1);
    for (double& b : layer.bias) b = 0.5 * stream.normal();
  }
  return network;
}

/// The same with layers `full` (numbers from 1) of full SVD, whose V are Haar-orthogonal.
inline Network random_full_svd(const Task& task, std::vector<int> hidden, std::vector<int> full) {
  Network network = with_full_svd(random_network(task, std::move(hidden)), full);
  Stream stream(2, Purpose::test);
  for (auto& layer : network.layers)
    for (auto& v : layer.unitary)
      if (!layer.attenuated) v = haar_orthogonal(layer.block_size(), stream);
  return network;
}

}  // namespace optinc
