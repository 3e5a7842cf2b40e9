#include "onn/training.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "onn/words.hpp"
#include "physics/core/check.hpp"
#include "physics/core/parallel.hpp"
#include "physics/core/units.hpp"
#include "physics/random/haar.hpp"

namespace optinc {
namespace {

using MatrixF = Eigen::MatrixXf;
using VectorF = Eigen::VectorXf;

// A batch is always cut into this many shares, summed in order: the result does not depend on the threads.
constexpr int shares = 4;
constexpr float beta1 = 0.9f, beta2 = 0.999f, epsilon = 1e-8f;

/// Adam moments of one parameter array.
struct Moments {
  MatrixF first, second;
  explicit Moments(Eigen::Index rows = 0, Eigen::Index cols = 0)
      : first(MatrixF::Zero(rows, cols)), second(MatrixF::Zero(rows, cols)) {}

  /// The step -rate m / (sqrt(v) + eps) for gradient g; `rate` includes the bias corrections.
  MatrixF step(const MatrixF& g, float rate) {
    first = beta1 * first + (1 - beta1) * g;
    second = beta2 * second + (1 - beta2) * g.cwiseAbs2();
    return -rate * (first.array() / (second.array().sqrt() + epsilon)).matrix();
  }
};

/// One square block S U with its optimiser state.
struct Block {
  MatrixF u;
  VectorF s;
  Moments u_moments, s_moments;
};

struct Layer {
  int outputs, inputs;
  bool tall;
  std::vector<Block> blocks;
  VectorF bias;
  Moments bias_moments;
  MatrixF weight;  // S U of all blocks, rebuilt after every step

  int size() const { return std::min(outputs, inputs); }
  Eigen::Block<MatrixF> part(MatrixF& w, std::size_t b) const {
    const int n = size(), at = static_cast<int>(b) * n;
    return tall ? w.block(at, 0, n, n) : w.block(0, at, n, n);
  }
};

/// What one share of a batch adds to the gradients.
struct Gradients {
  std::vector<MatrixF> weight;
  std::vector<VectorF> bias;
  double loss = 0.0;
};

/// All words of the task: inputs a - shift and target digits, both (M, words).
struct Dataset {
  MatrixF inputs, targets;
};

constexpr float input_shift = 1.5f;  // centre of the digits 0..3

Dataset all_words(const Task& task) {
  const WordTable table = word_table(task);
  return {(table.averages.array() - input_shift).matrix().cast<float>(), table.targets.cast<float>()};
}

std::vector<Layer> initial_layers(const Network& shape, std::uint64_t seed) {
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
    // every output sums `horizontal` blocks: this gain keeps the variance through ReLU
    const int horizontal = l.tall() ? 1 : l.blocks();
    const auto gain = static_cast<float>(std::sqrt(2.0 / horizontal));
    for (int b = 0; b < l.blocks(); ++b) {
      Stream stream(seed, Purpose::network_init, drawn++);
      layer.blocks.push_back(
          {haar_orthogonal(n, stream).cast<float>(), VectorF::Constant(n, gain), Moments(n, n), Moments(n, 1)});
    }
    layers.push_back(std::move(layer));
  }
  layers.back().bias.setConstant(input_shift);
  return layers;
}

void rebuild_weight(Layer& layer, std::size_t b) {
  layer.part(layer.weight, b).noalias() = layer.blocks[b].s.asDiagonal() * layer.blocks[b].u;
}

/// Forward and backward pass of one share. Gradients are of the sum over words of the loss per word.
void accumulate(const std::vector<Layer>& layers, const MatrixF& x0, const MatrixF& target, float dead_zone,
                Gradients& g) {
  const std::size_t depth = layers.size();
  std::vector<MatrixF> x(depth + 1);
  x[0] = x0;
  for (std::size_t l = 0; l < depth; ++l) {
    x[l + 1].noalias() = layers[l].weight * x[l];
    x[l + 1].colwise() += layers[l].bias;
    if (l + 1 < depth) x[l + 1] = x[l + 1].cwiseMax(0.0f);
  }
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

/// Adam on s, and on U along the orthogonal group: the Riemannian gradient of L(S U) is the skew part
/// Omega = T - T^T of T = (S G) U^T with G = dL/dW; Adam turns it into a step A, and U <- (1 + A + A^2/2) U
/// follows the geodesic to second order. One Newton-Schulz step takes the rounding out of U.
void step_block(Block& block, const MatrixF& g, float rate) {
  const VectorF ds = g.cwiseProduct(block.u).rowwise().sum();
  MatrixF t;
  t.noalias() = (block.s.asDiagonal() * g) * block.u.transpose();
  const MatrixF a = block.u_moments.step(t - t.transpose(), rate);
  MatrixF map = a;
  map.noalias() += 0.5f * a * a;
  map.diagonal().array() += 1.0f;
  MatrixF u, gram;
  u.noalias() = map * block.u;
  gram.noalias() = -0.5f * u.transpose() * u;
  gram.diagonal().array() += 1.5f;
  block.u.noalias() = u * gram;
  block.s += block.s_moments.step(ds, rate);
}

struct Optimiser {
  std::vector<Layer> layers;
  std::vector<Gradients> share_gradients;
  std::vector<std::pair<std::size_t, std::size_t>> blocks;  // (layer, block), largest first
  long steps = 0;

  explicit Optimiser(std::vector<Layer> initial) : layers(std::move(initial)), share_gradients(shares) {
    for (std::size_t l = 0; l < layers.size(); ++l)
      for (std::size_t b = 0; b < layers[l].blocks.size(); ++b) {
        blocks.emplace_back(l, b);
        rebuild_weight(layers[l], b);
      }
    std::stable_sort(blocks.begin(), blocks.end(),
                     [&](auto p, auto q) { return layers[p.first].size() > layers[q.first].size(); });
    for (auto& g : share_gradients) {
      g.bias.resize(layers.size());
      for (const auto& l : layers) g.weight.emplace_back(l.outputs, l.inputs);
    }
  }

  /// One step on a batch (M, words); returns the summed loss of its words.
  double step(const MatrixF& inputs, const MatrixF& targets, double learning_rate, float dead_zone,
              int threads) {
    const Eigen::Index words = inputs.cols();
    parallel_for(shares, threads, [&](int k) {
      const Eigen::Index first = words * k / shares, last = words * (k + 1) / shares;
      accumulate(layers, inputs.middleCols(first, last - first), targets.middleCols(first, last - first),
                 dead_zone, share_gradients[static_cast<std::size_t>(k)]);
    });
    ++steps;
    const double correction = std::sqrt(1 - std::pow(beta2, static_cast<double>(steps))) /
                              (1 - std::pow(beta1, static_cast<double>(steps)));
    const auto rate = static_cast<float>(learning_rate * correction);
    const float per_output = 1.0f / static_cast<float>(words * targets.rows());  // mean over words and digits
    double loss = 0.0;
    for (const auto& g : share_gradients) loss += g.loss;

    parallel_for(blocks.size(), threads, [&](std::size_t i) {
      const auto [l, b] = blocks[i];
      Layer& layer = layers[l];
      MatrixF g = layer.part(share_gradients[0].weight[l], b);
      for (int k = 1; k < shares; ++k)
        g += layer.part(share_gradients[static_cast<std::size_t>(k)].weight[l], b);
      step_block(layer.blocks[b], per_output * g, rate);
      rebuild_weight(layer, b);
    });
    for (std::size_t l = 0; l < layers.size(); ++l) {
      VectorF g = share_gradients[0].bias[l];
      for (int k = 1; k < shares; ++k) g += share_gradients[static_cast<std::size_t>(k)].bias[l];
      layers[l].bias += layers[l].bias_moments.step(per_output * g, rate);
    }
    return loss;
  }
};

/// The nearest orthogonal matrix in float64, by Newton-Schulz: U is orthogonal to 1e-6 already, so that three
/// quadratically convergent steps reach rounding.
Eigen::MatrixXd orthogonalised(const MatrixF& u) {
  Eigen::MatrixXd v = u.cast<double>();
  for (int i = 0; i < 3; ++i)
    v = (v * (1.5 * Eigen::MatrixXd::Identity(v.rows(), v.rows()) - 0.5 * v.transpose() * v)).eval();
  return v;
}

/// The float64 network, its input a instead of a - shift: b_0 <- b_0 - W_0 shift.
Network finished(const Network& shape, const std::vector<Layer>& layers) {
  Network network = shape;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    auto& out = network.layers[l];
    for (std::size_t b = 0; b < layers[l].blocks.size(); ++b) {
      out.unitary[b] = orthogonalised(layers[l].blocks[b].u);
      out.sigma[b] = layers[l].blocks[b].s.cast<double>();
    }
    out.bias = layers[l].bias.cast<double>();
  }
  auto& first = network.layers.front();
  first.bias -= first.weight() * Eigen::VectorXd::Constant(first.inputs, input_shift);
  return network;
}

double cosine_schedule(const TrainingSettings& s, double epoch) {
  if (epoch < s.warmup_epochs) return s.learning_rate * epoch / s.warmup_epochs;
  const double progress = (epoch - s.warmup_epochs) / (s.epochs - s.warmup_epochs);
  return 0.5 * s.learning_rate * (1 + std::cos(constants::pi * progress));
}

/// Accuracy and margin of the float32 network on every word.
void judge(const std::vector<Layer>& layers, const Dataset& data, int threads, EpochReport& report) {
  constexpr Eigen::Index block = 1024;
  const Eigen::Index blocks = (data.inputs.cols() + block - 1) / block;
  std::vector<double> worst(static_cast<std::size_t>(blocks));
  std::vector<Eigen::Index> right(static_cast<std::size_t>(blocks));
  parallel_for(blocks, threads, [&](Eigen::Index i) {
    const Eigen::Index first = i * block, words = std::min(block, data.inputs.cols() - first);
    MatrixF x = data.inputs.middleCols(first, words);
    for (std::size_t l = 0; l < layers.size(); ++l) {
      x = ((layers[l].weight * x).colwise() + layers[l].bias).eval();
      if (l + 1 < layers.size()) x = x.cwiseMax(0.0f);
    }
    const VectorF miss =
        (x - data.targets.middleCols(first, words)).cwiseAbs().colwise().maxCoeff().transpose();
    worst[static_cast<std::size_t>(i)] = miss.maxCoeff();
    right[static_cast<std::size_t>(i)] = (miss.array() < 0.5f).count();
  });
  report.margin = 0.5 - *std::max_element(worst.begin(), worst.end());
  report.word_accuracy = static_cast<double>(std::accumulate(right.begin(), right.end(), Eigen::Index{0})) /
                         static_cast<double>(data.inputs.cols());
}

}  // namespace

void validate_training(const TrainingSettings& s) {
  validate(s.epochs >= 1, "epochs = {} (at least one). Give epochs >= 1.", s.epochs);
  validate(s.batch >= shares, "batch = {} (at least {}). Give batch >= {}.", s.batch, shares, shares);
  validate(std::isfinite(s.learning_rate) && s.learning_rate > 0, "learning_rate = {} (> 0). Try 1.2e-2.",
           s.learning_rate);
  validate(s.warmup_epochs >= 0 && s.warmup_epochs < s.epochs,
           "warmup_epochs = {} of {} epochs (0 or more, fewer than epochs). Give a smaller one.",
           s.warmup_epochs, s.epochs);
  validate(s.dead_zone >= 0 && s.dead_zone < 0.5, "dead_zone = {} (0 <= dead_zone < 0.5). Try 0.1.",
           s.dead_zone);
}

TrainingResult train(const Task& task, std::span<const int> hidden, const TrainingSettings& settings,
                     std::uint64_t seed, int threads, const std::function<void(const EpochReport&)>& progress) {
  validate_training(settings);
  const Network shape = make_network(task, hidden);
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };

  const Dataset data = all_words(task);
  const Eigen::Index words = data.inputs.cols(), batch = std::min<Eigen::Index>(settings.batch, words);
  const Eigen::Index batches = words / batch;  // fewer than a batch sit out the epoch
  Optimiser optimiser(initial_layers(shape, seed));
  std::vector<Eigen::Index> order(static_cast<std::size_t>(words));
  std::iota(order.begin(), order.end(), Eigen::Index{0});

  TrainingResult result;
  for (int epoch = 1; epoch <= settings.epochs; ++epoch) {
    Stream shuffle(seed, Purpose::network_shuffle, 0, static_cast<std::uint32_t>(epoch));
    for (std::size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[shuffle.below(static_cast<std::uint32_t>(i))]);
    double loss = 0.0, rate = 0.0;
    for (Eigen::Index k = 0; k < batches; ++k) {
      const std::span<const Eigen::Index> chosen(order.data() + k * batch, static_cast<std::size_t>(batch));
      rate = cosine_schedule(settings, epoch - 1 + static_cast<double>(k + 1) / static_cast<double>(batches));
      loss += optimiser.step(data.inputs(Eigen::all, chosen), data.targets(Eigen::all, chosen), rate,
                             static_cast<float>(settings.dead_zone), threads);
    }
    EpochReport report{epoch, loss / static_cast<double>(batches * batch * task.digits), 0.0, 0.0, rate, 0.0};
    validate(std::isfinite(loss),
             "the loss is not finite in epoch {} (training diverged). Lower training.learning_rate ({}).",
             epoch, settings.learning_rate);
    judge(optimiser.layers, data, threads, report);
    report.seconds = seconds();
    result.curve.push_back(report);
    if (progress) progress(report);
  }
  result.network = finished(shape, optimiser.layers);
  result.seconds = seconds();
  return result;
}

}  // namespace optinc
