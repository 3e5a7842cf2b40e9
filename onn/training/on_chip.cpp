#include "onn/training/on_chip.hpp"

#include <optional>

#include "onn/training/detail/epoch_loop.hpp"
#include "onn/training/detail/evaluation.hpp"
#include "onn/training/detail/gradients.hpp"
#include "onn/training/detail/trained_mesh.hpp"
#include "physics/core/check.hpp"
#include "physics/core/parallel.hpp"

namespace optinc {
namespace {

using namespace training;

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
      for (const Eigen::MatrixXd& u : start.layers[l].unitary) row.emplace_back(u);
    }
  }

  double step(const Batch& batch, const TrainingSettings& settings, const ErrorModel& model, std::uint64_t seed,
              int threads) {
    parallel_for(blocks.size(), threads, [&](std::size_t i) {
      const auto [l, b] = blocks[i];
      Block& block = layers[l].blocks[b];
      block.perturbed_u = meshes[l][b].mesh.settle(model, {seed, batch.chip(), static_cast<std::uint32_t>(i)});
      if (settings.matrix_noise > 0)
        block.perturbed_u +=
            relative_noise(block.perturbed_u.rows(), settings.matrix_noise,
                           Stream(seed, Purpose::training_noise, batch.chip(), static_cast<std::uint32_t>(i)));
      layers[l].part(layers[l].weight, b).noalias() = block.s.asDiagonal() * block.perturbed_u;
    });
    const double loss =
        accumulate_batch(layers, batch.inputs, batch.targets, static_cast<float>(settings.dead_zone),
                         batch.noise, threads, share_gradients);
    const float rate = adam_rate(batch.rate, batch.step + 1);
    const float per_output = 1.0f / static_cast<float>(batch.targets.size());
    const auto by_gain = gain_gradients(layers, share_gradients, per_output);
    parallel_for(blocks.size(), threads, [&](std::size_t i) {
      const auto [l, b] = blocks[i];
      Block& block = layers[l].blocks[b];
      const MatrixF g = per_output * block_gradient(layers, share_gradients, l, b);
      const VectorF ds = sigma_gradient(g, block.perturbed_u, by_gain[l], b);
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

TrainingResult train_on_chips(const Network& start, const TrainingSettings& settings, const TrainingUnit& unit,
                              const TrainingRun& run) {
  validate_training(settings);
  validate_errors(unit.chip);
  validate_hardware(unit.hardware);
  validate(start.is_feed_forward(),
           "On-chip training supports only feed-forward Sigma-U networks with ReLU receivers (no skips or "
           "offsets). Use a network made by train().");
  ChipOptimiser optimiser(start);
  if (settings.ceiling > 0)
    limit_outputs(optimiser.layers, first_words(start.task, settings, run.seed), settings.ceiling);
  const std::vector<int> widths = start.widths();
  const Network shape = make_network(start.task, std::span(widths).subspan(1, widths.size() - 2));
  std::optional<UnitNoise> noise;
  if (settings.noise > 0) {
    noise.emplace(noise_of(design_chip(finished(shape, optimiser.layers)), unit));
    follow(optimiser.layers, unit.hardware.modulator);
  }
  auto curve =
      EpochLoop{start.task,
                settings,
                run.seed,
                run.threads,
                run.progress,
                run.checkpointing,
                noise ? &*noise : nullptr}
          .run(optimiser.layers, {[&](const Batch& batch) {
                                    return optimiser.step(batch, settings, unit.chip, run.seed, run.threads);
                                  },
                                  [&](int) { optimiser.show_perfect(run.threads); },
                                  [&](StateArrays& arrays) { optimiser.name(arrays); }});
  return result_of(shape, optimiser.layers, std::move(curve));
}

}  // namespace optinc
