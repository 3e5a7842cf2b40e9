#include "experiments/engine/study/one_off_measurements.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "experiments/engine/process/interrupt.hpp"
#include "experiments/engine/process/progress.hpp"
#include "experiments/models/chip_trial.hpp"

namespace optinc {
namespace {

bool measures(const StudyConfig& config, std::string_view what) {
  return std::find(config.measure.once.begin(), config.measure.once.end(), what) != config.measure.once.end();
}

/// Sends every word through a perfect chip: the light path must reproduce the network.
OnnSummary with_ideal_chip(const StudyConfig& config, const Network& network, const ChipDesign& design) {
  OnnSummary summary = summarise(network);
  StudyConfig ideal = config;
  ideal.chip = error_preset("ideal");
  const Codes codes = codes_of_words(network.task, evaluation_words(network.task));
  const Eigen::MatrixXd outputs = all_word_outputs(design, ideal, chip_variant("uncorrected"));
  summary.ideal_chip_word_accuracy =
      score(outputs, digits_of(exact_answers(network.task, codes), network.task.output_digits())).word_accuracy;
  summary.ideal_chip_deviation =
      (outputs - forward(network, digit_averages(network.task, codes))).cwiseAbs().maxCoeff();
  return summary;
}

Eye look_into_eye(const StudyConfig& config, const ChipDesign& design) {
  return {config.chip.sigma_eta_rad, all_word_outputs(design, config, chip_variant("corrected")),
          all_word_outputs(design, config, chip_variant("noisy"))};
}

GradientTransfer gradients_with_progress(const StudyConfig& config, const Network& network,
                                         const ChipDesign& design, bool quiet) {
  const ImageData data = load_fashion_mnist(config.gradient.data);
  Progress progress("gradients", gradient_training_steps(config, data), quiet);
  return transfer_gradients(config, data, network, design, [&](double loss) {
    check_interrupt();
    progress.step(fmt::format("loss {:.3f}", loss));
  });
}

}  // namespace

void require_data(const StudyConfig& config) {
  if (measures(config, "gradient")) gradient_training_steps(config, load_fashion_mnist(config.gradient.data));
}

OneOffResults measure_one_offs(const StudyConfig& config, const StudyInputs& inputs, bool quiet) {
  OneOffResults once;
  if (inputs.networks.size() != 1) return once;
  const Network& network = inputs.networks.front().network;
  const ChipDesign design = design_chip(network);
  once.onn = with_ideal_chip(config, network, design);
  if (measures(config, "eye")) once.eye = look_into_eye(config, design);
  if (measures(config, "gradient")) once.gradient = gradients_with_progress(config, network, design, quiet);
  return once;
}

void write_one_offs(const Group& root, const StudyConfig& config, const StudyInputs& inputs,
                    const OneOffResults& once) {
  if (once.onn) write_onn_group(root.group("onn"), inputs.networks.front().network, *once.onn);
  if (once.eye) write_eye_group(root.group("eye"), config.task, *once.eye);
  if (once.gradient) write_gradient_group(root.group("gradient"), config, *once.gradient);
}

}  // namespace optinc
