#include "experiments/study/gradient_transfer.hpp"

#include "experiments/learning/block_quantiser.hpp"
#include "experiments/learning/data_parallel.hpp"
#include "experiments/learning/relative_error.hpp"
#include "experiments/models/chip_trial.hpp"
#include "experiments/models/operated_chip.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

DataParallelSettings learner_settings(const StudyConfig& config, const ImageSet& train) {
  DataParallelSettings s;
  s.shape = {static_cast<int>(train.pixels.rows()), config.gradient.hidden, 10};
  s.workers = config.task.servers;
  s.batch = config.gradient.batch;
  s.epochs = config.gradient.epochs;
  s.learning_rate = config.gradient.learning_rate;
  s.momentum = config.gradient.momentum;
  s.seed = config.run.seed;
  return s;
}

}  // namespace

long gradient_training_steps(const StudyConfig& config, const ImageData& data) {
  const Learner learner = start_learner(learner_settings(config, data.train), data.train);
  return static_cast<long>(config.gradient.epochs) * steps_per_epoch(learner.settings, data.train);
}

GradientTransfer transfer_gradients(const StudyConfig& config, const ImageData& data, const Network& network,
                                    const ChipDesign& design, const std::function<void(double)>& progress) {
  Learner learner = start_learner(learner_settings(config, data.train), data.train);
  for (long step = gradient_training_steps(config, data); step > 0; --step) {
    const double loss = train_step(learner, data.train, exact_average);
    if (progress) progress(loss);
  }

  GradientTransfer result;
  result.test_accuracy = accuracy(learner.settings.shape, learner.parameters, data.test);
  const WorkerGradients step = worker_gradients(learner, data.train);
  result.loss = step.loss;
  result.average = exact_average(step.gradients);
  const QuantisedGradients sent = quantise(step.gradients, config.task.bits(), config.gradient.block);
  const CodeVector answers = exact_answers(config.task, sent.codes);

  const CalibratedChip fabricated = calibrated_chip(design, config, 0);
  const auto through_chip = [&](std::string_view name) {
    const ChipVariant variant = chip_variant(name);
    const LitChip chip = chip_in_operation(design, config, fabricated, 0, variant.programming);
    return decide(transmit(*chip.design, chip.state, config.link, noise_in(variant, config), sent.codes,
                           {config.run.seed, 0, 0}));
  };
  // the exact path is never coded; its code errors are those of its definition, none
  std::vector<CodeVector> decoded = {answers, answers,
                                     decide(forward(network, digit_averages(config.task, sent.codes)))};
  for (const auto name : {"uncorrected", "corrected", "noisy"}) decoded.push_back(through_chip(name));

  for (std::size_t p = 0; p < gradient_paths.size(); ++p) {
    result.received.push_back(
        p == 0 ? result.average
               : dequantise(decoded[p].cast<double>(), sent.block_scale, sent.bits, sent.block));
    result.relative_error[p] = relative_error(result.received[p], result.average);
    std::vector<std::int32_t> difference(static_cast<std::size_t>(answers.size()));
    for (Eigen::Index i = 0; i < answers.size(); ++i)
      difference[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(
          static_cast<std::int64_t>(decoded[p][i]) - static_cast<std::int64_t>(answers[i]));
    result.code_error.push_back(std::move(difference));
  }
  return result;
}

}  // namespace optinc
