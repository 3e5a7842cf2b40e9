#include "onn/training/diagonal_calibration.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "onn/task/words.hpp"
#include "onn/training/detail/epoch_loop.hpp"
#include "onn/training/detail/evaluation.hpp"
#include "onn/training/detail/gradients.hpp"
#include "physics/core/check.hpp"
#include "physics/core/parallel.hpp"
#include "physics/core/units.hpp"

namespace optinc {
namespace {

using namespace training;

/// Re(T) of a settled mesh over its known loss.
Eigen::MatrixXd measured_matrix(const BlockDesign& block, const BlockState& state, const ErrorModel& model) {
  FieldBatch fields(Matrix::Identity(block.mesh.ports, block.mesh.ports));
  state.mesh.propagate(fields);
  return fields.re /
         std::pow(field_ratio_of_loss_db(2 * (mean_arm_loss_db(model) + block.measured_arm_loss_db)),
                  block.mesh.columns());
}

/// Layers in training whose blocks are what the chip has in place of U.
std::vector<Layer> measured_layers(const ChipDesign& design, const ChipState& chip, const ErrorModel& model) {
  std::vector<Layer> layers;
  for (std::size_t l = 0; l < design.layers.size(); ++l) {
    const LayerDesign& from = design.layers[l];
    Layer layer{from.outputs,
                from.inputs,
                from.tall(),
                {},
                from.bias.cast<float>(),
                Moments(from.outputs, 1),
                MatrixF(from.outputs, from.inputs),
                static_cast<float>(from.ceiling)};
    for (std::size_t b = 0; b < from.blocks.size(); ++b) {
      const BlockDesign& block = from.blocks[b];
      layer.blocks.push_back({measured_matrix(block, chip.layers[l].blocks[b], model).cast<float>(),
                              (from.passive_scale * block.attenuation).cast<float>(), Moments(),
                              Moments(block.attenuation.size(), 1)});
      rebuild_weight(layer, b);
    }
    // inputs come centred
    if (l == 0) layer.bias += layer.weight * VectorF::Constant(from.inputs, input_shift);
    layers.push_back(std::move(layer));
  }
  return layers;
}

double step(std::vector<Layer>& layers, std::vector<Gradients>& gradients, const Batch& batch, double dead_zone,
            int threads) {
  const double loss = accumulate_batch(layers, batch.inputs, batch.targets, static_cast<float>(dead_zone),
                                       batch.noise, threads, gradients);
  const float rate = adam_rate(batch.rate, batch.step + 1);
  const float per_output = 1.0f / static_cast<float>(batch.targets.size());
  const auto by_gain = gain_gradients(layers, gradients, per_output);
  for (std::size_t l = 0; l < layers.size(); ++l) {
    for (std::size_t b = 0; b < layers[l].blocks.size(); ++b) {
      Block& block = layers[l].blocks[b];
      const MatrixF g = per_output * block_gradient(layers, gradients, l, b);
      block.s += block.s_moments.step(sigma_gradient(g, block.u, by_gain[l], b), rate);
      rebuild_weight(layers[l], b);
    }
    layers[l].bias += layers[l].bias_moments.step(per_output * bias_gradient(gradients, l), rate);
  }
  return loss;
}

/// What receivers and modulators of every layer must carry.
std::vector<double> largest_outputs(const ChipDesign& design) {
  const Eigen::MatrixXd averages = design_words(design.task);
  constexpr Eigen::Index words_at_once = 4096;
  std::vector<double> largest(design.layers.size(), 1e-12);
  for (Eigen::Index first = 0; first < averages.cols(); first += words_at_once) {
    Eigen::MatrixXd x = averages.middleCols(first, std::min(words_at_once, averages.cols() - first));
    for (std::size_t l = 0; l < design.layers.size(); ++l) {
      x = design.layers[l].forward(design.layers[l].weight, x);
      largest[l] = std::max(largest[l], x.cwiseAbs().maxCoeff());
    }
  }
  return largest;
}

/// The design with the diagonals and biases of these layers.
ChipDesign designed(ChipDesign design, const std::vector<Layer>& layers) {
  for (std::size_t l = 0; l < layers.size(); ++l) {
    LayerDesign& layer = design.layers[l];
    double largest = 0.0;
    for (const Block& block : layers[l].blocks)
      largest = std::max(largest, static_cast<double>(block.s.cwiseAbs().maxCoeff()));
    if (largest > 0) layer.passive_scale = largest / attenuator_headroom;
    for (std::size_t b = 0; b < layer.blocks.size(); ++b)
      layer.blocks[b].attenuation = layers[l].blocks[b].s.cast<double>() / layer.passive_scale;
    layer.weight = layers[l].weight.cast<double>();
    layer.bias = layers[l].bias.cast<double>();
    if (l == 0) layer.bias -= layer.weight * Eigen::VectorXd::Constant(layer.inputs, input_shift);
  }
  const std::vector<double> largest = largest_outputs(design);
  for (std::size_t l = 0; l < layers.size(); ++l) design.layers[l].largest_output = largest[l];
  return design;
}

}  // namespace

ChipDesign with_trained_diagonals(const ChipDesign& design, const ChipState& measured, const TrainingUnit& unit,
                                  const TrainingSettings& settings, std::uint64_t seed, int threads) {
  validate_training(settings);
  validate_field(design.feed_forward, "diagonal_epochs",
                 "{} (only feed-forward Sigma-U networks with ReLU receivers are trained on: no "
                 "skips or offsets). Use a network made by train(), or set diagonal_epochs to 0.",
                 settings.epochs);
  for (std::size_t l = 0; settings.noise > 0 && l + 1 < design.layers.size(); ++l)
    validate_field(std::isfinite(design.layers[l].ceiling), "diagonal_epochs",
                   "{} with noise and a network whose layer {} has no ceiling (noise is relative to the full "
                   "scale of its modulators). Use a network trained with ceilings, or set training.noise to 0.",
                   settings.epochs, l);
  std::vector<Layer> layers = measured_layers(design, measured, unit.chip);
  std::vector<Gradients> gradients = room_for_gradients(layers);
  if (settings.noise > 0) follow(layers, unit.hardware.modulator);
  std::vector<Layer> best = layers;
  EpochReport before;
  judge(word_errors(layers, all_words(design.task), threads), before);
  double most = before.word_accuracy;
  std::optional<UnitNoise> noise;
  if (settings.noise > 0) noise.emplace(noise_of(design, unit));
  const std::function<void(const EpochReport&)> keep_best = [&](const EpochReport& epoch) {
    if (!noise && epoch.word_accuracy < most) return;  // with noise, what is right without it says little
    most = epoch.word_accuracy;
    best = layers;
  };
  EpochLoop{design.task, settings, seed, threads, keep_best, nullptr, noise ? &*noise : nullptr}.run(
      layers,
      {[&](const Batch& batch) { return step(layers, gradients, batch, settings.dead_zone, threads); }});
  return designed(design, best);
}

std::shared_ptr<const ChipDesign> retrained_design(const ChipDesign& design, const Operation& operation,
                                                   const CalibratedChip& chip, std::uint32_t number,
                                                   Programming programming, const Retraining& retraining) {
  const CalibrationSettings& calibration = operation.calibration;
  if (calibration.diagonal_epochs == 0) return {std::shared_ptr<const ChipDesign>(), &design};
  const OperatedChip measured = operate_chip(design, operation, chip, number, programming);
  TrainingSettings settings = retraining.training;
  settings.epochs = calibration.diagonal_epochs;
  settings.learning_rate = calibration.diagonal_rate;
  settings.warmup_epochs = 0;
  settings.stop_margin = 0.0;
  settings.hard_error = 0.0;  // every word once an epoch
  settings.window = 1.0;
  const TrainingUnit unit = {operation.chip, operation.hardware, retraining.noise};
  if (!meets_noise(unit)) settings.noise = 0.0;  // as in an ablation
  return std::make_shared<const ChipDesign>(with_trained_diagonals(
      *measured.design, settle_chip(*measured.design, measured.program, measured.errors, operation.chip), unit,
      settings, operation.seed, retraining.threads));
}

}  // namespace optinc
