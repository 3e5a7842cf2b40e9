#include "onn/training/detail/layers.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include <Eigen/SVD>

#include "onn/network/full_svd.hpp"
#include "physics/random/haar.hpp"

namespace optinc::training {
namespace {

/// The nearest orthogonal matrix in float64, by Newton-Schulz: U is orthogonal to 1e-6 already, so that three
/// quadratically convergent steps reach rounding.
Eigen::MatrixXd orthogonalised(const MatrixF& u) {
  Eigen::MatrixXd v = u.cast<double>();
  for (int i = 0; i < 3; ++i)
    v = (v * (1.5 * Eigen::MatrixXd::Identity(v.rows(), v.rows()) - 0.5 * v.transpose() * v)).eval();
  return v;
}

}  // namespace

std::pair<std::size_t, Eigen::Index> Layer::largest_sigma() const {
  std::pair<std::size_t, Eigen::Index> found{0, 0};
  float most = -1.0f;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    Eigen::Index row = 0;
    const float largest = blocks[b].s.cwiseAbs().maxCoeff(&row);
    if (largest > most) most = largest, found = {b, row};
  }
  return found;
}

float Layer::gain() const {
  const auto [block, row] = largest_sigma();
  return std::abs(blocks[block].s[row]);
}

std::vector<Layer> initial_layers(const Network& shape, std::uint64_t seed, double variance) {
  std::vector<Layer> layers;
  std::uint32_t drawn = 0;
  for (const auto& l : shape.layers) {
    const int n = l.block_size();
    Layer layer{l.outputs,
                l.inputs,
                l.tall(),
                {},
                VectorF::Zero(l.outputs),
                Moments(l.outputs, 1),
                MatrixF(l.outputs, l.inputs)};
    // every output sums `horizontal` blocks
    const int horizontal = l.tall() ? 1 : l.blocks();
    const auto gain = static_cast<float>(std::sqrt(variance / horizontal));
    for (int b = 0; b < l.blocks(); ++b) {
      Stream stream(seed, Purpose::network_init, drawn++);
      layer.blocks.push_back(
          {haar_orthogonal(n, stream).cast<float>(), VectorF::Constant(n, gain), Moments(n, n), Moments(n, 1)});
      rebuild_weight(layer, static_cast<std::size_t>(b));
    }
    layers.push_back(std::move(layer));
  }
  layers.back().bias.setConstant(input_shift);
  return layers;
}

void follow(std::vector<Layer>& layers, const MzmSettings& modulator) {
  for (std::size_t l = 0; l + 1 < layers.size(); ++l) layers[l].sine = !modulator.linearised;
}

void set_free(std::vector<Layer>& layers, std::span<const int> full_svd) {
  for (const int number : full_svd) {
    Layer& layer = layers[static_cast<std::size_t>(number - 1)];
    layer.full_svd = true;
    layer.weight_moments = Moments(layer.outputs, layer.inputs);
  }
}

void rebuild_weight(Layer& layer, std::size_t b) {
  layer.part(layer.weight, b).noalias() = layer.blocks[b].s.asDiagonal() * layer.blocks[b].u;
}

std::vector<Layer> layers_of(const Network& network) {
  std::vector<Layer> layers = initial_layers(network, 1);
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const SigmaULayer& from = network.layers[l];
    for (std::size_t b = 0; b < layers[l].blocks.size(); ++b) {
      layers[l].blocks[b].u = from.unitary[b].cast<float>();
      layers[l].blocks[b].s = from.sigma[b].cast<float>();
      rebuild_weight(layers[l], b);
    }
    Eigen::VectorXd bias = from.bias;
    if (l == 0) bias += from.weight() * Eigen::VectorXd::Constant(from.inputs, input_shift);
    layers[l].bias = bias.cast<float>();
    layers[l].ceiling = static_cast<float>(from.ceiling);
  }
  return layers;
}

MatrixF relative_noise(Eigen::Index n, double noise, Stream stream) {
  MatrixF drawn(n, n);
  stream.normals(std::span(drawn.data(), static_cast<std::size_t>(drawn.size())));
  return static_cast<float>(noise / std::sqrt(static_cast<double>(n))) * drawn;
}

std::vector<std::pair<std::size_t, std::size_t>> blocks_largest_first(const std::vector<Layer>& layers) {
  std::vector<std::pair<std::size_t, std::size_t>> blocks;
  for (std::size_t l = 0; l < layers.size(); ++l)
    for (std::size_t b = 0; !layers[l].full_svd && b < layers[l].blocks.size(); ++b) blocks.emplace_back(l, b);
  std::stable_sort(blocks.begin(), blocks.end(),
                   [&](auto p, auto q) { return layers[p.first].size() > layers[q.first].size(); });
  return blocks;
}

Network finished(const Network& shape, const std::vector<Layer>& layers) {
  Network network = shape;
  std::vector<int> full;
  std::vector<LeftFactors> left;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const Layer& layer = layers[l];
    auto& out = network.layers[l];
    if (layer.full_svd) full.push_back(static_cast<int>(l) + 1), left.emplace_back();
    for (std::size_t b = 0; b < layer.blocks.size(); ++b) {
      if (layer.full_svd) {
        const Eigen::BDCSVD<Eigen::MatrixXd> svd(layer.part(layer.weight, b).cast<double>(),
                                                 Eigen::ComputeFullU | Eigen::ComputeFullV);
        left.back().push_back(svd.matrixU());
        out.sigma[b] = svd.singularValues();
        out.unitary[b] = svd.matrixV().transpose();
      } else {
        out.unitary[b] = orthogonalised(layer.blocks[b].u);
        out.sigma[b] = layer.blocks[b].s.cast<double>();
      }
    }
    out.bias = layer.bias.cast<double>();
    out.ceiling = static_cast<double>(layer.ceiling);
  }
  SigmaULayer& first = network.layers.front();
  const Eigen::MatrixXd weight =
      layers.front().full_svd ? layers.front().weight.cast<double>() : first.weight();
  first.bias -= weight * Eigen::VectorXd::Constant(first.inputs, input_shift);
  return full.empty() ? network : with_full_svd(network, full, left);
}

}  // namespace optinc::training
