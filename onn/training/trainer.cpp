#include "onn/training/trainer.hpp"

#include <algorithm>

#include "onn/network/full_svd.hpp"
#include "onn/training/detail/epoch_loop.hpp"
#include "onn/training/detail/evaluation.hpp"
#include "onn/training/detail/gradients.hpp"
#include "onn/training/detail/projected.hpp"
#include "physics/core/check.hpp"
#include "physics/core/parallel.hpp"

namespace optinc {
namespace {

using namespace training;

/// Gives a block's U an error of relative Frobenius norm `noise` for one step.
void disturb(Layer& layer, std::size_t b, double noise, Stream stream) {
  Block& block = layer.blocks[b];
  const auto n = block.u.rows();
  block.perturbed_u = block.u + relative_noise(n, noise, stream);
  layer.part(layer.weight, b).noalias() = block.s.asDiagonal() * block.perturbed_u;
}

/// Adam on s, whose gradient is ds, and on U along the orthogonal group: the Riemannian gradient of L(S U) is
/// the skew part Omega = T - T^T of T = (S G) U^T with G = dL/dW; Adam turns it into a step A, and U <- (1 + A
/// + A^2/2) U follows the geodesic to second order. One Newton-Schulz step takes the rounding out of U.
void step_block(Block& block, const MatrixF& g, const VectorF& ds, float rate) {
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

  explicit Optimiser(std::vector<Layer> initial)
      : layers(std::move(initial)),
        share_gradients(room_for_gradients(layers)),
        blocks(blocks_largest_first(layers)) {}

  /// One step; returns the summed loss of its words.
  double step(const Batch& batch, const TrainingSettings& settings, std::uint64_t seed, int threads) {
    if (settings.matrix_noise > 0)
      parallel_for(blocks.size(), threads, [&](std::size_t i) {
        const auto [l, b] = blocks[i];
        disturb(layers[l], b, settings.matrix_noise,
                Stream(seed, Purpose::training_noise, static_cast<std::uint32_t>(batch.step),
                       static_cast<std::uint32_t>(i)));
      });
    const double loss =
        accumulate_batch(layers, batch.inputs, batch.targets, static_cast<float>(settings.dead_zone),
                         batch.noise, threads, share_gradients);
    const float rate = adam_rate(batch.rate, batch.step + 1);
    const float per_output = 1.0f / static_cast<float>(batch.targets.size());  // mean over words and digits
    const auto by_gain = gain_gradients(layers, share_gradients, per_output);
    parallel_for(blocks.size(), threads, [&](std::size_t i) {
      const auto [l, b] = blocks[i];
      Block& block = layers[l].blocks[b];
      const MatrixF g = per_output * block_gradient(layers, share_gradients, l, b);
      const VectorF ds =
          sigma_gradient(g, block.perturbed_u.size() > 0 ? block.perturbed_u : block.u, by_gain[l], b);
      step_block(block, g, ds, rate);
      rebuild_weight(layers[l], b);
    });
    parallel_for(layers.size(), threads, [&](std::size_t l) {
      if (layers[l].full_svd)
        layers[l].weight +=
            layers[l].weight_moments.step(per_output * weight_gradient(share_gradients, l), rate);
    });
    for (std::size_t l = 0; l < layers.size(); ++l)
      layers[l].bias += layers[l].bias_moments.step(per_output * bias_gradient(share_gradients, l), rate);
    return loss;
  }

  void name(StateArrays& arrays) {
    for (std::size_t l = 0; l < layers.size(); ++l) {
      const std::string layer = fmt::format("layer{}", l);
      if (layers[l].full_svd) {
        arrays(layer + "/weight", layers[l].weight);
        name_arrays(arrays, layer + "/weight", layers[l].weight_moments);
      }
      for (std::size_t b = 0; !layers[l].full_svd && b < layers[l].blocks.size(); ++b) {
        const std::string block = fmt::format("{}/block{}", layer, b);
        Block& of = layers[l].blocks[b];
        arrays(block + "/u", of.u);
        arrays(block + "/s", of.s);
        name_arrays(arrays, block + "/u", of.u_moments);
        name_arrays(arrays, block + "/s", of.s_moments);
        if (arrays.reading()) rebuild_weight(layers[l], b);
      }
      arrays(layer + "/bias", layers[l].bias);
      name_arrays(arrays, layer + "/bias", layers[l].bias_moments);
    }
  }
};

/// Random layers of this shape, or those of a network to start from.
std::vector<Layer> first_layers(const Network& shape, const Network* start, const TrainingSettings& settings,
                                std::uint64_t seed) {
  if (start == nullptr) return initial_layers(shape, seed, settings.initial_variance);
  validate(
      start->is_feed_forward(),
      "the network to start from has layers of full SVD, or is a carry chain (training goes on from layers "
      "S U alone). Name another as network.start, or leave it out.");
  validate(start->widths() == shape.widths(),
           "the network to start from has widths {} ({} are asked for). Set network.hidden to its widths, or "
           "leave network.start out.",
           fmt::join(start->widths(), "-"), fmt::join(shape.widths(), "-"));
  return layers_of(*start);
}

}  // namespace

TrainingResult train(const Task& task, std::span<const int> hidden, const TrainingSettings& settings,
                     const TrainingRun& run, const Network* start, const TrainingUnit& unit) {
  validate_training(settings);
  const Network shape = make_network(task, hidden);
  if (!settings.full_svd_layers.empty()) with_full_svd(shape, settings.full_svd_layers);  // throws
  std::vector<Layer> layers = first_layers(shape, start, settings, run.seed);
  set_free(layers, settings.full_svd_layers);
  if (settings.ceiling > 0) limit_outputs(layers, first_words(task, settings, run.seed), settings.ceiling);
  std::optional<UnitNoise> noise;
  if (settings.noise > 0) {
    noise.emplace(noise_of(design_chip(finished(shape, layers)), unit));
    follow(layers, unit.hardware.modulator);
  }
  const EpochLoop loop{
      task, settings, run.seed, run.threads, run.progress, run.checkpointing, noise ? &*noise : nullptr};
  if (settings.scheme == TrainingScheme::projected) return train_projected(shape, std::move(layers), loop);
  Optimiser optimiser(std::move(layers));
  auto curve =
      loop.run(optimiser.layers,
               {[&](const Batch& batch) { return optimiser.step(batch, settings, run.seed, run.threads); },
                {},
                [&](StateArrays& arrays) { optimiser.name(arrays); }});
  return result_of(shape, optimiser.layers, std::move(curve));
}

}  // namespace optinc
