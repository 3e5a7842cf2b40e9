#include "onn/network/full_svd.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "physics/core/check.hpp"

namespace optinc {
namespace {

using Signals = std::vector<int>;

/// Layers in the making, each reading signals of those before it.
struct Sequence {
  Network network;
  int next = network.task.input_digits();  // the first signal of the next layer

  /// Appends a layer; its outputs.
  Signals append(SigmaULayer layer, std::span<const int> reads) {
    Signals outputs(static_cast<std::size_t>(layer.outputs));
    std::iota(outputs.begin(), outputs.end(), next);
    next += layer.outputs;
    layer.reads.assign(reads.begin(), reads.end());
    network.layers.push_back(std::move(layer));
    return outputs;
  }

  /// Appends a square layer for every block, of `n` of the signals each; their outputs.
  template <class Make>
  Signals append_each(std::size_t blocks, std::size_t n, std::span<const int> reads, Make make) {
    Signals outputs;
    for (std::size_t b = 0; b < blocks; ++b)
      std::ranges::copy(append(make(b), reads.subspan(b * n, n)), std::back_inserter(outputs));
    return outputs;
  }
};

/// S U of a layer, before a V: its light goes on.
SigmaULayer right_factors(SigmaULayer layer) {
  layer.ending = LayerEnd::light;
  layer.ceiling = SigmaULayer{}.ceiling;
  layer.bias.setZero();
  return layer;
}

/// V of a layer, and what stands behind it.
SigmaULayer left_factors(SigmaULayer layer, const LeftFactors& left) {
  layer.attenuated = false;
  for (std::size_t b = 0; b < layer.unitary.size(); ++b) {
    layer.unitary[b] =
        left.empty() ? Eigen::MatrixXd::Identity(layer.block_size(), layer.block_size()) : left[b];
    layer.sigma[b].setOnes();
  }
  return layer;
}

/// Block b of a layer as a layer of its own.
SigmaULayer block_of(const SigmaULayer& layer, std::size_t b) {
  const int n = layer.block_size();
  SigmaULayer block = layer;
  block.outputs = block.inputs = n;
  if (layer.unitary.empty()) return block;  // an outline
  block.unitary = {layer.unitary[b]};
  block.sigma = {layer.sigma[b]};
  if (layer.tall()) block.bias = layer.bias.segment(static_cast<Eigen::Index>(b) * n, n);
  return block;
}

}  // namespace

Network with_full_svd(const Network& network, std::span<const int> full, std::span<const LeftFactors> left) {
  validate(network.is_feed_forward(), "full SVD of a network that is no chain of layers S U. Train one.");
  validate(left.empty() || left.size() == full.size(),
           "left factors of {} layers ({} are of full SVD). Give all.", left.size(), full.size());
  const auto layers = static_cast<int>(network.layers.size());
  for (const int number : full)
    validate_field(number >= 1 && number <= layers, "full_svd_layers",
                   "{} (layers 1 to {} are there). Number layers from 1.", number, layers);
  Sequence made{{network.task, {}}};
  Signals reads = network.layers.front().reads;
  for (int number = 1; number <= layers; ++number) {
    const SigmaULayer& layer = network.layers[static_cast<std::size_t>(number - 1)];
    const auto found = std::ranges::find(full, number);
    if (found == full.end()) {
      reads = made.append(layer, reads);
      continue;
    }
    const LeftFactors v = left.empty() ? LeftFactors{} : left[static_cast<std::size_t>(found - full.begin())];
    const auto blocks = static_cast<std::size_t>(layer.blocks());
    const auto n = static_cast<std::size_t>(layer.block_size());
    if (layer.tall()) {
      const Signals light = made.append(right_factors(layer), reads);
      reads = made.append_each(blocks, n, light, [&](std::size_t b) {
        return left_factors(block_of(layer, b), v.empty() ? v : LeftFactors{v[b]});
      });
    } else {
      const Signals light =
          made.append_each(blocks, n, reads, [&](std::size_t b) { return right_factors(block_of(layer, b)); });
      reads = made.append(left_factors(layer, v), light);
    }
  }
  return std::move(made.network);
}

}  // namespace optinc
