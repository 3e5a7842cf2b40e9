#include "onn/training/detail/projected.hpp"

#include <Eigen/SVD>
#include <fmt/format.h>

#include "onn/training/detail/gradients.hpp"
#include "physics/core/parallel.hpp"

namespace optinc::training {
namespace {

struct ProjectedOptimiser {
  std::vector<Layer> layers;     // whose weights are free between projections; their blocks lie idle
  std::vector<Layer> projected;  // their projection
  std::vector<Gradients> share_gradients;

  explicit ProjectedOptimiser(std::vector<Layer> initial)
      : layers(std::move(initial)), share_gradients(room_for_gradients(layers)) {
    for (Layer& layer : layers) layer.weight_moments = Moments(layer.outputs, layer.inputs);
    projected = layers;
  }

  /// Gives every block's U, as it was last projected, an error for one step: W + S E in place of S (U + E).
  void disturb(double noise, std::uint64_t seed, long step) {
    std::uint32_t number = 0;
    for (std::size_t l = 0; l < layers.size(); ++l)
      for (std::size_t b = 0; b < layers[l].blocks.size(); ++b) {
        const Stream stream(seed, Purpose::training_noise, static_cast<std::uint32_t>(step), number++);
        layers[l].part(layers[l].weight, b) +=
            projected[l].blocks[b].s.asDiagonal() * relative_noise(layers[l].size(), noise, stream);
      }
  }

  double step(const Batch& batch, double dead_zone, double noise, std::uint64_t seed, int threads) {
    std::vector<MatrixF> clean;
    if (noise > 0) {
      for (const Layer& layer : layers) clean.push_back(layer.weight);
      disturb(noise, seed, batch.step);
    }
    const double loss = accumulate_batch(layers, batch.inputs, batch.targets, static_cast<float>(dead_zone), {},
                                         threads, share_gradients);
    const float rate = adam_rate(batch.rate, batch.step + 1);
    const float per_output = 1.0f / static_cast<float>(batch.targets.size());
    parallel_for(layers.size(), threads, [&](std::size_t l) {
      if (noise > 0) layers[l].weight = clean[l];
      layers[l].weight += layers[l].weight_moments.step(per_output * weight_gradient(share_gradients, l), rate);
      layers[l].bias += layers[l].bias_moments.step(per_output * bias_gradient(share_gradients, l), rate);
    });
    return loss;
  }

  void name(StateArrays& arrays) {
    for (std::size_t l = 0; l < layers.size(); ++l) {
      const std::string layer = fmt::format("layer{}", l);
      arrays(layer + "/weight", layers[l].weight);
      name_arrays(arrays, layer + "/weight", layers[l].weight_moments);
      arrays(layer + "/bias", layers[l].bias);
      name_arrays(arrays, layer + "/bias", layers[l].bias_moments);
      for (std::size_t b = 0; b < projected[l].blocks.size(); ++b)
        arrays(fmt::format("{}/block{}/s", layer, b), projected[l].blocks[b].s);
    }
  }

  /// Projects into `projected` what is not of full SVD; `keep`: and goes on from there.
  void project(bool keep, int threads) {
    for (std::size_t l = 0; l < layers.size(); ++l) {
      if (layers[l].full_svd)
        projected[l].weight = layers[l].weight;
      else
        parallel_for(layers[l].blocks.size(), threads,
                     [&](std::size_t b) { project_block(projected[l], layers[l].weight, b); });
      projected[l].bias = layers[l].bias;
      if (keep) layers[l].weight = projected[l].weight;
    }
  }
};

}  // namespace

void project_block(Layer& layer, const MatrixF& w, std::size_t b) {
  const Eigen::MatrixXd part = layer.part(w, b).cast<double>();
  const Eigen::BDCSVD<Eigen::MatrixXd> svd(part, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Eigen::MatrixXd u = svd.matrixU() * svd.matrixV().transpose();
  layer.blocks[b].u = u.cast<float>();
  layer.blocks[b].s = part.cwiseProduct(u).rowwise().sum().cast<float>();
  rebuild_weight(layer, b);
}

TrainingResult train_projected(const Network& shape, std::vector<Layer> layers, const EpochLoop& loop) {
  const TrainingSettings& settings = loop.settings;
  ProjectedOptimiser optimiser(std::move(layers));
  auto curve =
      loop.run(optimiser.projected,
               {[&](const Batch& batch) {
                  const bool first = batch.epoch <= settings.squared_share * settings.epochs;
                  return optimiser.step(batch, first ? 0.0 : settings.dead_zone, settings.matrix_noise,
                                        loop.seed, loop.threads);
                },
                [&](int epoch) { optimiser.project(epoch % settings.project_every == 0, loop.threads); },
                [&](StateArrays& arrays) { optimiser.name(arrays); }});
  return result_of(shape, optimiser.projected, std::move(curve));
}

}  // namespace optinc::training
