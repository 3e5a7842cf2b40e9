#include "experiments/run/one_off_measurements.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "experiments/base/interrupt.hpp"
#include "experiments/base/progress.hpp"
#include "experiments/models/chip_trial.hpp"
#include "experiments/models/operated_chip.hpp"
#include "experiments/study/points.hpp"

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
  ideal.measured_chip = {};
  ideal.calibration.diagonal_epochs = 0;  // the network's own diagonals
  ideal.hardware.timing.sampling = Sampling::settled;
  const Codes codes = codes_of_words(network.task, evaluation_words(network.task));
  const Eigen::MatrixXd outputs = all_word_outputs(design, ideal, chip_variant("uncorrected"));
  summary.ideal_chip_word_accuracy =
      score(outputs, exact_outputs(network.task, codes), network.task.level_spacing()).word_accuracy;
  summary.ideal_chip_deviation =
      (outputs - forward(network, digit_averages(network.task, codes))).cwiseAbs().maxCoeff();
  return summary;
}

Eye look_into_eye(const StudyConfig& config, const ChipDesign& design, const Foundry& foundry) {
  return {config.chip.sigma_eta_rad,
          all_word_outputs(design, config, chip_variant("corrected_quadrature"), foundry),
          all_word_outputs(design, config, chip_variant("noisy"), foundry)};
}

StepGradients gradients_with_progress(const StudyConfig& config, bool quiet) {
  const ImageData data = load_fashion_mnist(config.gradient.data);
  Progress progress("gradients", gradient_training_steps(config, data), quiet);
  return take_gradients(config, data, [&](double loss) {
    check_interrupt();
    progress.step(fmt::format("loss {:.3f}", loss));
  });
}

/// The axis at one of its points alone.
SweepAxis only(SweepAxis axis, std::size_t place) {
  for (SweptKey& key : axis.keys) key.values = {key.values[place]};
  return axis;
}

/// The values before sweeps, and those that a point has of the sweeps that choose its network.
StudyConfig with_network_of(const StudyConfig& config, std::size_t point) {
  const std::vector<std::size_t> index = point_index(config, point);
  const std::string wanted = network_identity(config_at(config, point));
  const auto finds = [&](const StudyConfig& study) { return network_identity(config_at(study, 0)) == wanted; };
  StudyConfig choosing = config;
  for (std::size_t a = 0; a < index.size(); ++a)
    if (!config.sweeps[a].ablation()) choosing.sweeps[a] = only(config.sweeps[a], index[a]);
  for (std::size_t a = index.size(); a-- > 0;) {
    const SweepAxis& axis = config.sweeps[a];
    StudyConfig other = choosing;
    bool chooses = false;
    for (std::size_t i = 0; !axis.ablation() && i < axis.points() && !chooses; ++i) {
      other.sweeps[a] = only(axis, i);
      chooses = !finds(other);
    }
    other.sweeps.erase(other.sweeps.begin() + static_cast<std::ptrdiff_t>(a));
    if (!chooses && finds(other)) choosing = std::move(other);
  }
  return config_at(choosing, 0);
}

/// That of every network, from the first point that asks for it.
std::vector<StudyConfig> point_of_each(const StudyConfig& config, const Networks& networks) {
  if (networks.size() == 1) return {with_network_of(config, 0)};
  std::map<std::size_t, StudyConfig> found;
  const StudyPoints at(config);
  for (std::size_t p = 0; found.size() < networks.size(); ++p) {
    const std::size_t number = network_number(networks, at[p]);
    if (!found.contains(number)) found[number] = with_network_of(config, p);
  }
  std::vector<StudyConfig> points;
  for (auto& [number, point] : found) points.push_back(std::move(point));
  return points;
}

/// The groups of one network, as far as they were measured.
void write_one_offs(const Group& group, const Network& network, const OneOffs& once) {
  if (once.onn) write_onn_group(group.group("onn"), network, *once.onn);
  if (once.eye) write_eye_group(group.group("eye"), network.task, *once.eye);
  if (once.gradient) write_gradient_group(group.group("gradient"), *once.gradient);
  if (once.cost) write_cost_group(group.group("cost"), *once.cost);
}

}  // namespace

void require_data(const StudyConfig& config) {
  if (measures(config, "gradient")) gradient_training_steps(config, load_fashion_mnist(config.gradient.data));
}

OneOffResults measure_one_offs(const StudyConfig& config, const StudyInputs& inputs, bool quiet) {
  OneOffResults once(inputs.networks.size());
  if (once.empty() || (once.size() > 1 && config.measure.once.empty())) return once;
  const std::vector<StudyConfig> points = point_of_each(config, inputs.networks);
  const Foundry foundry(inputs.chips);
  std::optional<StepGradients> step;
  for (std::size_t i = 0; i < once.size(); ++i) {
    check_interrupt();
    const Network& network = inputs.networks[i].network;
    std::optional<LongPhase> phase(std::in_place, "all words through a perfect chip", quiet);
    const ChipDesign design = design_chip(network);
    once[i].onn = with_ideal_chip(points[i], network, design);
    if (measures(config, "eye")) phase.emplace("all words through a chip", quiet);
    if (measures(config, "eye")) once[i].eye = look_into_eye(points[i], design, foundry);
    if (measures(config, "cost"))
      once[i].cost = unit_cost(
          network, budget(with_known_losses(design, calibrated_chip(design, points[i], 0, 0, foundry).losses),
                          points[i].chip, points[i].hardware, points[i].budget));
    phase.reset();
    if (!measures(config, "gradient")) continue;
    if (i == 0 || points[i].task != points[i - 1].task || points[i].gradient != points[i - 1].gradient)
      step = gradients_with_progress(points[i], quiet);
    phase.emplace("gradients through chips", quiet);
    once[i].gradient = transfer_gradients(points[i], *step, network, design, foundry);
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
