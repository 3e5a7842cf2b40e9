#include "onn/training/detail/gradients.hpp"

#include "physics/core/parallel.hpp"

namespace optinc::training {

void accumulate(const std::vector<Layer>& layers, const MatrixF& x0, const MatrixF& target, float dead_zone,
                const ReceiverNoise& noise, std::uint32_t share, Gradients& g) {
  const std::size_t depth = layers.size();
  const std::vector<MatrixF> x = forward(layers, x0, noise, share);
  const MatrixF miss = x[depth] - target;
  const MatrixF excess = (miss.cwiseAbs().array() - dead_zone).cwiseMax(0.0f);
  g.loss = excess.cast<double>().squaredNorm();
  MatrixF delta = 2.0f * excess.cwiseProduct(miss.cwiseSign());
  for (std::size_t l = depth; l-- > 0;) {
    g.weight[l].noalias() = delta * x[l].transpose();
    g.bias[l] = delta.rowwise().sum();
    if (l == 0) break;
    MatrixF back;
    back.noalias() = layers[l].weight.transpose() * delta;
    delta = (x[l].array() > 0.0f).select(back, 0.0f);
  }
}

double accumulate_batch(const std::vector<Layer>& layers, const MatrixF& inputs, const MatrixF& targets,
                        float dead_zone, const ReceiverNoise& noise, int threads,
                        std::vector<Gradients>& shares_of) {
  const Eigen::Index words = inputs.cols();
  parallel_for(shares, threads, [&](int k) {
    const Eigen::Index first = words * k / shares, last = words * (k + 1) / shares;
    accumulate(layers, inputs.middleCols(first, last - first), targets.middleCols(first, last - first),
               dead_zone, noise, static_cast<std::uint32_t>(k), shares_of[static_cast<std::size_t>(k)]);
  });
  double loss = 0.0;
  for (const auto& g : shares_of) loss += g.loss;
  return loss;
}

std::vector<Gradients> room_for_gradients(const std::vector<Layer>& layers) {
  Gradients g;
  g.bias.resize(layers.size());
  for (const auto& l : layers) g.weight.emplace_back(l.outputs, l.inputs);
  return std::vector<Gradients>(shares, g);
}

MatrixF weight_gradient(const std::vector<Gradients>& of, std::size_t l) {
  MatrixF sum = of[0].weight[l];
  for (std::size_t k = 1; k < of.size(); ++k) sum += of[k].weight[l];
  return sum;
}

MatrixF block_gradient(const std::vector<Layer>& layers, const std::vector<Gradients>& of, std::size_t l,
                       std::size_t b) {
  MatrixF sum = layers[l].part(of[0].weight[l], b);
  for (std::size_t k = 1; k < of.size(); ++k) sum += layers[l].part(of[k].weight[l], b);
  return sum;
}

VectorF bias_gradient(const std::vector<Gradients>& of, std::size_t l) {
  VectorF sum = of[0].bias[l];
  for (std::size_t k = 1; k < of.size(); ++k) sum += of[k].bias[l];
  return sum;
}

}  // namespace optinc::training
