#include "onn/training/detail/gradients.hpp"

#include "physics/core/parallel.hpp"

namespace optinc::training {
namespace {

/// Slopes of limited values f (neurons, words) above 0, by their values without limits: of f = z (1 + r)^-k
/// with r = (z/c)^(1/k), where (f/c)^(1/k) = r/(1 + r), it is (1 + r)^-(k + 1).
MatrixF limiter_slopes(const MatrixF& f, const VectorF& ceilings, float knee) {
  MatrixF slopes(f.rows(), f.cols());
  for (Eigen::Index w = 0; w < f.cols(); ++w) {
    const auto level = f.col(w).array() / ceilings.array();
    if (knee == 0)
      slopes.col(w) = (level < 1.0f).cast<float>();
    else
      slopes.col(w) = ((knee + 1.0f) * (1.0f - (level.log() * (1.0f / knee)).exp()).max(0.0f).log()).exp();
  }
  return slopes;
}

}  // namespace

void accumulate(const std::vector<Layer>& layers, const MatrixF& x0, const MatrixF& target, float dead_zone,
                const StepNoise& noise, std::uint32_t share, Gradients& g) {
  const std::size_t depth = layers.size();
  const Values values = forward(layers, x0, noise, share);
  const std::vector<MatrixF>& x = values.x;
  const MatrixF miss = x[depth] - target;
  const MatrixF excess = (miss.cwiseAbs().array() - dead_zone).cwiseMax(0.0f);
  g.loss = excess.cast<double>().squaredNorm();
  MatrixF delta = 2.0f * excess.cwiseProduct(miss.cwiseSign());
  for (std::size_t l = depth; l-- > 0;) {
    g.bias[l] = delta.rowwise().sum();
    if (noise.unit != nullptr) {
      const NoiseSlopes& slopes = values.slopes[l];
      g.gain[l] = delta.cwiseProduct(slopes.gain).sum();
      const MatrixF by_noise = delta.cwiseProduct(slopes.light);
      if (!values.arrivals.empty()) delta = values.arrivals[l].slopes(delta);
      delta += by_noise;
    }
    g.weight[l].noalias() = delta * x[l].transpose();
    if (l == 0) {
      if (noise.unit != nullptr)  // of the light that the first layer's inputs leave out
        g.weight[l].colwise() += noise.unit->input_light() * (delta.rowwise().sum() - g.bias[l]);
      break;
    }
    MatrixF back;
    back.noalias() = layers[l].weight.transpose() * delta;
    const float ceiling = layers[l - 1].ceiling;
    const bool sine = layers[l - 1].sine;
    const MatrixF& driven = sine ? values.driven[l - 1] : x[l];
    delta = (driven.array() > 0.0f && driven.array() < ceiling).select(back, 0.0f);
    if (sine) delta.array() *= quarter_turn * (quarter_turn / ceiling * driven.array()).cos();
    if (!values.ceilings.empty())
      delta.array() *= limiter_slopes(driven, values.ceilings[l - 1], noise.unit->limiter_knee()).array();
  }
}

double accumulate_batch(const std::vector<Layer>& layers, const MatrixF& inputs, const MatrixF& targets,
                        float dead_zone, const StepNoise& noise, int threads,
                        std::vector<Gradients>& shares_of) {
  const Eigen::Index words = inputs.cols();
  parallel_for(shares, threads, [&](int k) {
    const auto [first, last] = share_of(words, k);
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
  g.gain.assign(layers.size(), 0.0f);
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

std::vector<GainGradient> gain_gradients(const std::vector<Layer>& layers, const std::vector<Gradients>& of,
                                         float factor) {
  std::vector<GainGradient> found;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const auto [block, row] = layers[l].largest_sigma();
    float sum = 0.0f;
    for (const Gradients& share : of) sum += share.gain[l];
    found.push_back({block, row, factor * (layers[l].blocks[block].s[row] < 0 ? -sum : sum)});
  }
  return found;
}

VectorF sigma_gradient(const MatrixF& g, const MatrixF& u, const GainGradient& gain, std::size_t b) {
  VectorF sum = g.cwiseProduct(u).rowwise().sum();
  if (gain.block == b) sum[gain.row] += gain.value;
  return sum;
}

}  // namespace optinc::training
