#include "onn/training/on_chip.hpp"

#include <cmath>

#include "onn/chip/chip_design.hpp"
#include "onn/link/detail/levels.hpp"
#include "onn/link/detail/receiver_variance.hpp"
#include "onn/training/detail/epoch_loop.hpp"
#include "onn/training/detail/gradients.hpp"
#include "onn/training/detail/trained_mesh.hpp"
#include "physics/core/check.hpp"
#include "physics/core/parallel.hpp"
#include "physics/devices/power_divider.hpp"

namespace optinc {
namespace {

using namespace training;

constexpr std::uint32_t first_chip = 1 << 24;

/// rms that shot and amplifier noise add to the values of every layer, the shot noise that of the oscillator
/// alone.
std::vector<float> receiver_noise(const ChipDesign& design, const ChipTrainingModel& model) {
  const ReceiverSettings& receiver = model.hardware.receiver;
  std::vector<double> nominal;
  for (const LayerDesign& layer : design.layers) nominal.push_back(nominal_layer_factor(layer, model.chip));
  const std::vector<double> received = fields_per_unit(design, model.hardware, nominal).received;
  std::vector<float> rms;
  for (std::size_t l = 0; l < design.layers.size(); ++l) {
    const bool last = l + 1 == design.layers.size();
    if (!last && model.noise.last_only) {
      rms.push_back(0);
      continue;
    }
    const double variance_a2 = receiver_variance(receiver, model.noise).dark_a2;
    rms.push_back(
        static_cast<float>(std::sqrt(variance_a2) / (homodyne_current_per_field(receiver) * received[l])));
  }
  return rms;
}

/// A mesh and the moments of its phases.
struct MeshInTraining {
  TrainedMesh mesh;
  Moments moments;

  explicit MeshInTraining(const Eigen::MatrixXd& u) : mesh(u), moments(mesh.mzi_count(), 1) {}
};

struct ChipOptimiser {
  std::vector<Layer> layers;
  std::vector<std::vector<MeshInTraining>> meshes;  // [layer][block]
  std::vector<Gradients> share_gradients;
  std::vector<std::pair<std::size_t, std::size_t>> blocks;  // (layer, block), largest first

  explicit ChipOptimiser(const Network& start)
      : layers(layers_of(start)),
        share_gradients(room_for_gradients(layers)),
        blocks(blocks_largest_first(layers)) {
    for (std::size_t l = 0; l < layers.size(); ++l) {
      auto& row = meshes.emplace_back();
      for (std::size_t b = 0; b < layers[l].blocks.size(); ++b) {
        row.emplace_back(start.layers[l].unitary[b]);
        rebuild_weight(layers[l], b);
      }
    }
  }

  double step(const Batch& batch, const TrainingSettings& settings, const ChipTrainingModel& model,
              ReceiverNoise noise, int threads) {
    const std::uint32_t chip = first_chip + static_cast<std::uint32_t>(batch.step);
    parallel_for(blocks.size(), threads, [&](std::size_t i) {
      const auto [l, b] = blocks[i];
      Block& block = layers[l].blocks[b];
      block.perturbed_u =
          meshes[l][b].mesh.settle(model.chip, {noise.seed, chip, static_cast<std::uint32_t>(i)});
      if (settings.matrix_noise > 0)
        block.perturbed_u +=
            relative_noise(block.perturbed_u.rows(), settings.matrix_noise,
                           Stream(noise.seed, Purpose::training_noise, chip, static_cast<std::uint32_t>(i)));
      layers[l].part(layers[l].weight, b).noalias() = block.s.asDiagonal() * block.perturbed_u;
    });
    noise.step = static_cast<std::uint32_t>(batch.step);
    const double loss =
        accumulate_batch(layers, batch.inputs, batch.targets, static_cast<float>(settings.dead_zone), noise,
                         threads, share_gradients);
    const float rate = adam_rate(batch.rate, batch.step + 1);
    const float per_output = 1.0f / static_cast<float>(batch.targets.size());
    parallel_for(blocks.size(), threads, [&](std::size_t i) {
      const auto [l, b] = blocks[i];
      Block& block = layers[l].blocks[b];
      const MatrixF g = per_output * block_gradient(layers, share_gradients, l, b);
      const VectorF ds = g.cwiseProduct(block.perturbed_u).rowwise().sum();
      MeshInTraining& trained = meshes[l][b];
      trained.mesh.turn(trained.moments.step(trained.mesh.gradient(block.s.asDiagonal() * g), rate).col(0));
      block.s += block.s_moments.step(ds, rate);
    });
    for (std::size_t l = 0; l < layers.size(); ++l)
      layers[l].bias += layers[l].bias_moments.step(per_output * bias_gradient(share_gradients, l), rate);
    return loss;
  }

  void name(StateArrays& arrays) {
    for (std::size_t l = 0; l < layers.size(); ++l) {
      const std::string layer = fmt::format("layer{}", l);
      for (std::size_t b = 0; b < layers[l].blocks.size(); ++b) {
        const std::string block = fmt::format("{}/block{}", layer, b);
        MeshProgram& phases = meshes[l][b].mesh.program();
        arrays(block + "/theta", phases.theta);
        arrays(block + "/phi", phases.phi);
        arrays(block + "/output_phase", phases.output_phase);
        name_arrays(arrays, block + "/theta", meshes[l][b].moments);
        arrays(block + "/s", layers[l].blocks[b].s);
        name_arrays(arrays, block + "/s", layers[l].blocks[b].s_moments);
      }
      arrays(layer + "/bias", layers[l].bias);
      name_arrays(arrays, layer + "/bias", layers[l].bias_moments);
    }
  }

  /// The perfect meshes' matrices in the layers, which epochs are evaluated by.
  void show_perfect(int threads) {
    parallel_for(blocks.size(), threads, [&](std::size_t i) {
      const auto [l, b] = blocks[i];
      layers[l].blocks[b].u = meshes[l][b].mesh.matrix().cast<float>();
      rebuild_weight(layers[l], b);
    });
  }
};

}  // namespace

TrainingResult train_on_chips(const Network& start, const TrainingSettings& settings,
                              const ChipTrainingModel& model, std::uint64_t seed, int threads,
                              const std::function<void(const EpochReport&)>& progress,
                              const Checkpointing* checkpointing) {
  validate_training(settings);
  validate_errors(model.chip);
  validate_hardware(model.hardware);
  validate(start.is_feed_forward(),
           "On-chip training supports only feed-forward Sigma-U networks with ReLU receivers (no skips, "
           "ceilings or offsets). Use a network made by train().");
  ChipOptimiser optimiser(start);
  const ReceiverNoise noise{receiver_noise(design_chip(start), model), seed, 0};
  auto curve = EpochLoop{start.task, settings, seed, threads, progress, checkpointing}.run(
      optimiser.layers,
      {[&](const Batch& batch) { return optimiser.step(batch, settings, model, noise, threads); },
       [&](int) { optimiser.show_perfect(threads); }, [&](StateArrays& arrays) { optimiser.name(arrays); }});
  const std::vector<int> widths = start.widths();
  return result_of(make_network(start.task, std::span(widths).subspan(1, widths.size() - 2)), optimiser.layers,
                   std::move(curve));
}

}  // namespace optinc
