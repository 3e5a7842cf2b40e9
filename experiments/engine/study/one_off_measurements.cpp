#include "experiments/engine/study/one_off_measurements.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include <fmt/format.h>

#include "experiments/engine/config/points.hpp"
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

StepGradients gradients_with_progress(const StudyConfig& config, bool quiet) {
  const ImageData data = load_fashion_mnist(config.gradient.data);
  Progress progress("gradients", gradient_training_steps(config, data), quiet);
  return take_gradients(config, data, [&](double loss) {
    check_interrupt();
    progress.step(fmt::format("loss {:.3f}", loss));
  });
}

/// For every network the values before sweeps, and of the sweeps that choose networks those of the first of
/// their points that asks for it.
std::vector<StudyConfig> point_of_each(const StudyConfig& config, const Networks& networks) {
  const auto identities = [](const StudyConfig& study) {
    std::set<std::string> found;
    for (std::size_t p = 0; p < point_count(study); ++p) found.insert(network_identity(config_at(study, p)));
    return found;
  };
  StudyConfig choosing = config;
  std::erase_if(choosing.sweeps, [&](const SweepAxis& axis) {
    StudyConfig alone = config;
    alone.sweeps = {axis};
    return identities(alone).size() < 2;
  });
  std::vector<StudyConfig> found(networks.size());
  for (std::size_t p = point_count(choosing); p-- > 0;) {
    StudyConfig point = config_at(choosing, p);
    const std::size_t number = network_number(networks, point);
    found[number] = std::move(point);
  }
  return found;
}

/// The groups of one network, as far as they were measured.
void write_one_offs(const Group& group, const Network& network, const OneOffs& once) {
  if (once.onn) write_onn_group(group.group("onn"), network, *once.onn);
  if (once.eye) write_eye_group(group.group("eye"), network.task, *once.eye);
  if (once.gradient) write_gradient_group(group.group("gradient"), *once.gradient);
}

}  // namespace

void require_data(const StudyConfig& config) {
  if (measures(config, "gradient")) gradient_training_steps(config, load_fashion_mnist(config.gradient.data));
}

OneOffResults measure_one_offs(const StudyConfig& config, const StudyInputs& inputs, bool quiet) {
  OneOffResults once(inputs.networks.size());
  if (once.size() != 1 && config.measure.once.empty()) return once;
  const std::vector<StudyConfig> points =
      once.size() == 1 ? std::vector{config} : point_of_each(config, inputs.networks);
  std::optional<StepGradients> step;
  for (std::size_t i = 0; i < once.size(); ++i) {
    const Network& network = inputs.networks[i].network;
    const ChipDesign design = design_chip(network);
    once[i].onn = with_ideal_chip(points[i], network, design);
    if (measures(config, "eye")) once[i].eye = look_into_eye(points[i], design);
    if (!measures(config, "gradient")) continue;
    if (i == 0 || points[i].task != points[i - 1].task || points[i].gradient != points[i - 1].gradient)
      step = gradients_with_progress(points[i], quiet);
    once[i].gradient = transfer_gradients(points[i], *step, network, design);
  }
  return once;
}

void write_network_results(const Group& root, const StudyConfig& config, const StudyInputs& inputs,
                           const OneOffResults* once) {
  const Networks& networks = inputs.networks;
  if (networks.empty()) return;
  if (networks.size() == 1) {
    if (once != nullptr) write_one_offs(root, networks.front().network, once->front());
    return;
  }
  for (std::size_t i = 0; i < networks.size(); ++i) {
    OneOffs measured = once != nullptr ? (*once)[i] : OneOffs{};
    if (!measured.onn) measured.onn = summarise(networks[i].network);
    write_one_offs(root.group(network_group(i)), networks[i].network, measured);
  }
  std::vector<std::int64_t> of_point;
  for (const StudyConfig& point : checked_points(config)) {  // an interrupted run is still to be stored
    const std::vector<StudyConfig> asked = asked_networks(point);
    of_point.push_back(asked.empty() ? -1 : static_cast<std::int64_t>(network_number(networks, asked.front())));
  }
  const Group group = root.group("networks");
  group.counting_dimension("point", of_point.size(), "point of the sweeps, the last one running fastest");
  group.dataset("of_point", {"point"}, of_point, "1", "number of the network whose chips the point measures");
}

}  // namespace optinc
