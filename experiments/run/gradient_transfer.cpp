#include "experiments/run/gradient_transfer.hpp"

#include <memory>

#include "experiments/models/chip_trial.hpp"
#include "experiments/models/learning/data_parallel.hpp"
#include "experiments/models/learning/mlp.hpp"
#include "experiments/models/learning/relative_error.hpp"
#include "experiments/models/operated_chip.hpp"
#include "onn/link/average.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

/// The classifier of [gradient] on images that the caller keeps (they are too many to copy).
LearningTask classifier(const StudyConfig& config, const ImageData& data) {
  return mlp_task({static_cast<int>(data.train.pixels.rows()), config.gradient.hidden, 10},
                  std::shared_ptr<const ImageData>(std::shared_ptr<const ImageData>(), &data));
}

DataParallelSettings learner_settings(const StudyConfig& config) {
  DataParallelSettings s;
  s.workers = config.task.servers;
  s.batch = config.gradient.batch;
  s.epochs = config.gradient.epochs;
  s.optimiser.learning_rate = config.gradient.learning_rate;
  s.optimiser.momentum = config.gradient.momentum;
  s.seed = config.run.seed;
  return s;
}

}  // namespace

long gradient_training_steps(const StudyConfig& config, const ImageData& data) {
  const LearningTask task = classifier(config, data);
  return static_cast<long>(training_steps(start_learner(learner_settings(config), task).settings, task));
}

StepGradients take_gradients(const StudyConfig& config, const ImageData& data,
                             const std::function<void(double)>& progress) {
  const LearningTask task = classifier(config, data);
  Learner learner = start_learner(learner_settings(config), task);
  for (std::uint32_t step = training_steps(learner.settings, task); step > 0; --step) {
    const double loss = train_step(learner, task, average_exactly);
    if (progress) progress(loss);
  }
  const WorkerGradients taken = worker_gradients(learner, task);
  return {exact_average(taken.gradients),
          quantise(taken.gradients, config.task.bits(), config.gradient.block,
                   code_rounding(config.task, config.run.seed, 0)),
          task.evaluate(learner.parameters).accuracy, taken.loss};
}

GradientTransfer transfer_gradients(const StudyConfig& config, StepGradients step, const Network& network,
                                    const ChipDesign& design, const Foundry& foundry) {
  const QuantisedGradients& sent = step.sent;
  const CodeVector answers = exact_answers(config.task, sent.codes);
  const CalibratedChip fabricated = calibrated_chip(design, config, 0, 0, foundry);
  const auto through_chip = [&](std::string_view name) {
    const ChipVariant variant = chip_variant(name);
    const LitChip chip = chip_in_operation(design, config, fabricated, 0, variant.programming);
    return average_codes(
        {*chip.design, chip.state, config.hardware, noise_in(variant, config), config.measure.arithmetic},
        sent.codes, {config.run.seed, 0, 0});
  };
  // the exact path is never coded; its code errors are those of its definition, none
  std::vector<CodeVector> decoded = {
      answers, answers, decide(config.task, forward(network, digit_averages(config.task, sent.codes)))};
  for (const auto name : {"uncorrected", "corrected_quadrature", "noisy"})
    decoded.push_back(through_chip(name));

  GradientTransfer result;
  result.sigma_eta_rad = config.chip.sigma_eta_rad;
  for (std::size_t p = 0; p < gradient_paths.size(); ++p) {
    result.received.push_back(p == 0 ? step.average
                                     : dequantise(decoded[p].cast<double>() * config.task.answer_step(),
                                                  sent.block_scale, sent.bits, sent.block));
    result.relative_error[p] = relative_error(result.received[p], step.average);
    std::vector<std::int32_t> difference(static_cast<std::size_t>(answers.size()));
    for (Eigen::Index i = 0; i < answers.size(); ++i)
      difference[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(
          static_cast<std::int64_t>(decoded[p][i]) - static_cast<std::int64_t>(answers[i]));
    result.code_error.push_back(std::move(difference));
  }
  result.step = std::move(step);
  return result;
}

}  // namespace optinc
