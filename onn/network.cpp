#include "onn/network.hpp"

#include "physics/core/check.hpp"

namespace optinc {

Eigen::MatrixXd SigmaULayer::weight() const {
  Eigen::MatrixXd w(outputs, inputs);
  const int n = block_size();
  for (int b = 0; b < blocks(); ++b) {
    const auto k = static_cast<std::size_t>(b);
    const Eigen::MatrixXd block = sigma[k].asDiagonal() * unitary[k];
    if (tall())
      w.middleRows(b * n, n) = block;
    else
      w.middleCols(b * n, n) = block;
  }
  return w;
}

std::vector<int> Network::widths() const {
  std::vector<int> w;
  for (const auto& layer : layers) w.push_back(layer.inputs);
  if (!layers.empty()) w.push_back(layers.back().outputs);
  return w;
}

Network make_network(const Task& task, std::span<const int> hidden) {
  validate_task(task);
  std::vector<int> widths = {task.digits};
  widths.insert(widths.end(), hidden.begin(), hidden.end());
  widths.push_back(task.digits);
  Network network{task, {}};
  for (std::size_t l = 0; l + 1 < widths.size(); ++l) {
    const int in = widths[l], out = widths[l + 1];
    validate(in >= 1 && out >= 1 && std::max(in, out) % std::min(in, out) == 0,
             "layer widths {} and {} do not fit (of two neighbouring widths one must divide the other, for the "
             "weight is cut into square blocks). Choose {} and {}.",
             in, out, in, (out / std::max(in, 1) + 1) * std::max(in, 1));
    SigmaULayer layer{out, in, {}, {}, Eigen::VectorXd::Zero(out)};
    const int n = layer.block_size();
    layer.unitary.assign(static_cast<std::size_t>(layer.blocks()), Eigen::MatrixXd::Identity(n, n));
    layer.sigma.assign(static_cast<std::size_t>(layer.blocks()), Eigen::VectorXd::Zero(n));
    network.layers.push_back(std::move(layer));
  }
  return network;
}

Eigen::MatrixXd forward(const Network& network, const Eigen::Ref<const Eigen::MatrixXd>& averages) {
  Eigen::MatrixXd x = averages;
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    const auto& layer = network.layers[l];
    Eigen::MatrixXd z = (layer.weight() * x).colwise() + layer.bias;
    x = l + 1 < network.layers.size() ? Eigen::MatrixXd(z.cwiseMax(0.0)) : z;
  }
  return x;
}

Eigen::VectorXd largest_activations(const Network& network, const Eigen::Ref<const Eigen::MatrixXd>& averages) {
  Eigen::MatrixXd x = averages;
  Eigen::VectorXd largest(static_cast<Eigen::Index>(network.layers.size()) - 1);
  for (Eigen::Index l = 0; l < largest.size(); ++l) {
    const auto& layer = network.layers[static_cast<std::size_t>(l)];
    x = ((layer.weight() * x).colwise() + layer.bias).cwiseMax(0.0);
    largest[l] = x.maxCoeff();
  }
  return largest;
}

std::int64_t mzi_count(const Network& network) {
  std::int64_t count = 0;
  for (const auto& layer : network.layers) {
    const std::int64_t n = layer.block_size();
    count += layer.blocks() * (n * (n - 1) / 2 + n);
  }
  return count;
}

std::int64_t mzi_count_full_svd(const Network& network) {
  std::int64_t count = 0;
  for (const auto& layer : network.layers) {
    const std::int64_t out = layer.outputs, in = layer.inputs;
    count += out * (out - 1) / 2 + in * (in - 1) / 2 + std::min(out, in);
  }
  return count;
}

int mzi_depth(const Network& network) {
  int depth = 0;
  for (const auto& layer : network.layers) {
    const int n = layer.block_size();
    depth += (n > 2 ? n : n - 1) + 1;
  }
  return depth;
}

}  // namespace optinc
