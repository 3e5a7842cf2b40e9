#include "onn/training/parts.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "onn/task/words.hpp"
#include "physics/core/check.hpp"
#include "physics/core/parallel.hpp"
#include "physics/core/units.hpp"
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

std::vector<Layer> layers_of(const Network& network) {
  std::vector<Layer> layers = initial_layers(network, 1);
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const SigmaULayer& from = network.layers[l];
    for (std::size_t b = 0; b < layers[l].blocks.size(); ++b) {
      layers[l].blocks[b].u = from.unitary[b].cast<float>();
      layers[l].blocks[b].s = from.sigma[b].cast<float>();
    }
    Eigen::VectorXd bias = from.bias;
    if (l == 0) bias += from.weight() * Eigen::VectorXd::Constant(from.inputs, input_shift);
    layers[l].bias = bias.cast<float>();
  }
  return layers;
}

void accumulate(const std::vector<Layer>& layers, const MatrixF& x0, const MatrixF& target, float dead_zone,
                const ReceiverNoise& noise, std::uint32_t share, Gradients& g) {
  const std::size_t depth = layers.size();
  std::vector<MatrixF> x(depth + 1);
  x[0] = x0;
  for (std::size_t l = 0; l < depth; ++l) {
    x[l + 1].noalias() = layers[l].weight * x[l];
    x[l + 1].colwise() += layers[l].bias;
    if (!noise.rms.empty()) {
      MatrixF drawn(x[l + 1].rows(), x[l + 1].cols());
      Stream(noise.seed, Purpose::chip_training, noise.step, share * 1024 + static_cast<std::uint32_t>(l))
          .normals(std::span(drawn.data(), static_cast<std::size_t>(drawn.size())));
      x[l + 1] += noise.rms[l] * drawn;
    }
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

MatrixF relative_noise(Eigen::Index n, double noise, Stream stream) {
  MatrixF drawn(n, n);
  stream.normals(std::span(drawn.data(), static_cast<std::size_t>(drawn.size())));
  return static_cast<float>(noise / std::sqrt(static_cast<double>(n))) * drawn;
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

float adam_rate(double learning_rate, long step) {
  const double correction = std::sqrt(1 - std::pow(beta2, static_cast<double>(step))) /
                            (1 - std::pow(beta1, static_cast<double>(step)));
  return static_cast<float>(learning_rate * correction);
}

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

void name_arrays(StateArrays& arrays, const std::string& name, Moments& moments) {
  arrays(name + "/first", moments.first);
  arrays(name + "/second", moments.second);
}

std::vector<EpochReport> EpochLoop::run(const std::vector<Layer>& layers, const TrainerSteps& trainer) const {
  const auto start = std::chrono::steady_clock::now();
  const Dataset data = all_words(task);
  const Eigen::Index words = data.inputs.cols(), batch = std::min<Eigen::Index>(settings.batch, words);
  const Eigen::Index batches = words / batch;  // fewer than a batch sit out the epoch
  std::vector<Eigen::Index> order(static_cast<std::size_t>(words));
  std::iota(order.begin(), order.end(), Eigen::Index{0});

  TrainingState at;
  if (keeping != nullptr && keeping->resumed != nullptr) {
    at = *keeping->resumed;
    StateArrays from(keeping->resumed->arrays);
    trainer.arrays(from);
    at.arrays.clear();
  }
  const double before = at.seconds;
  const auto seconds = [&] {
    return before + std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const std::function<TrainingState()> state = [&] {
    TrainingState now = at;
    now.seconds = seconds();
    StateArrays into(now.arrays);
    trainer.arrays(into);
    return now;
  };
  for (int epoch = 1; epoch <= settings.epochs; ++epoch) {
    Stream shuffle(seed, Purpose::network_shuffle, 0, static_cast<std::uint32_t>(epoch));
    for (std::size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[shuffle.below(static_cast<std::uint32_t>(i))]);
    if (epoch < at.epoch) continue;  // each epoch shuffles the order of the one before
    const auto rate_after = [&](Eigen::Index steps) {
      return cosine_schedule(settings, epoch - 1 + static_cast<double>(steps) / static_cast<double>(batches));
    };
    for (Eigen::Index k = at.batches; k < batches; ++k) {
      const std::span<const Eigen::Index> chosen(order.data() + k * batch, static_cast<std::size_t>(batch));
      at.loss += trainer.step({data.inputs(Eigen::all, chosen), data.targets(Eigen::all, chosen),
                               rate_after(k + 1), epoch, (epoch - 1) * batches + k});
      at.batches = k + 1;
      if (keeping != nullptr && keeping->after_step) keeping->after_step(state);
    }
    EpochReport report{epoch,
                       at.loss / static_cast<double>(batches * batch * data.targets.rows()),
                       0.0,
                       0.0,
                       rate_after(batches),
                       0.0};
    validate(std::isfinite(at.loss),
             "the loss is not finite in epoch {} (training diverged). Lower training.learning_rate ({}).",
             epoch, settings.learning_rate);
    if (trainer.before_judging) trainer.before_judging(epoch);
    judge(layers, data, threads, report);
    report.seconds = seconds();
    at.curve.push_back(report);
    at.epoch = epoch + 1;
    at.batches = 0;
    at.loss = 0.0;
    if (progress) progress(report);
    if (settings.stop_margin > 0 && report.word_accuracy == 1 && report.margin >= settings.stop_margin) break;
  }
  return at.curve;
}

TrainingResult result_of(const Network& shape, const std::vector<Layer>& layers,
                         std::vector<EpochReport> curve) {
  const double seconds = curve.back().seconds;
  return {finished(shape, layers), std::move(curve), seconds};
}

}  // namespace optinc::training
