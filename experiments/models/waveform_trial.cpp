#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "experiments/models/built_in_models.hpp"
#include "experiments/models/chip_memory.hpp"
#include "experiments/models/chip_study.hpp"
#include "experiments/models/chip_trial.hpp"
#include "experiments/models/operated_chip.hpp"
#include "experiments/models/recorder.hpp"
#include "experiments/models/trial_model.hpp"
#include "onn/link/waveforms.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

void record_layers(const Recorder& record, std::size_t v, const std::vector<LayerWaveform>& layers) {
  const auto deviation = record.cells("layer_deviation", v), penalty = record.cells("waveform_penalty", v),
             within = record.cells("symbol_deviation", v), eye = record.cells("layer_eye", v);
  constexpr std::size_t instants = waveform_instants, levels = EyeLevels::count;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const LayerWaveform& w = layers[l];
    if (w.deviation.size() == 0) continue;
    if (!deviation.empty()) deviation[l] = w.least_deviation();
    if (!penalty.empty() && w.settled_deviation > 0)
      penalty[l] = 20 * std::log10(w.least_deviation() / w.settled_deviation);
    for (std::size_t i = 0; i < instants; ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      if (!within.empty()) within[l * instants + i] = w.deviation[row];
      for (std::size_t k = 0; !eye.empty() && k < levels; ++k)
        eye[(l * instants + i) * levels + k] = w.eye(row, static_cast<Eigen::Index>(k));
    }
  }
}

void run_waveform(const ChipStudy& study, const StudyConfig& config, std::uint32_t trial,
                  std::span<double> cells) {
  const ChipDesign& design = study.designs[network_number(study.networks, config)];
  const Recorder record(study.layout, cells);
  const Codes codes = codes_of_words(design.task, drawn_words(config, trial));
  const CalibratedChip chip = calibrated_chip(design, config, trial, 0, study.foundry);
  UnitHardware slow = config.hardware;
  slow.timing.sampling = Sampling::settled;
  for (std::size_t v = 0; v < study.variants.size(); ++v) {
    const ChipVariant variant = chip_variant(study.variants[v]);
    const LitChip lit = chip_in_operation(design, config, chip, trial, variant.programming);
    const LitUnit unit = {*lit.design, lit.state, config.hardware, noise_in(variant, config)};
    const TransmissionSeed seed = {config.run.seed, trial, 0};
    const Eigen::MatrixXd received = transmit(unit, codes, seed),
                          settled = transmit({unit.design, unit.chip, slow}, codes, seed);
    record.put("waveform_error", v, std::sqrt((received - settled).array().square().mean()));
    record.put("words_wrong", v, 1 - share_right(design.task, decide(design.task, received), codes));
    record_layers(record, v, layer_waveforms(unit, codes, seed));
  }
}

void validate_waveform(const StudyConfig& config) {
  validate_field(
      config.hardware.timing.sampling != Sampling::settled, "sampling",
      "settled in model waveform (settled words have no shape in time). Set it to clocked or unclocked.");
}

std::vector<ModelAxis> waveform_axes(const StudyConfig&, std::size_t layers) {
  std::vector<std::int64_t> numbers(layers);
  std::iota(numbers.begin(), numbers.end(), 0);
  std::vector<double> instants, levels;
  for (int i = 0; i < waveform_instants; ++i) instants.push_back(waveform_instant(i));
  for (int k = 0; k < EyeLevels::count; ++k) levels.push_back(EyeLevels::middle(k));
  return {{"layer", "1", "layer of the network", numbers},
          {"instant", "symbol",
           "time from a clocked receiver's sample, or from the middle of an unclocked symbol", instants},
          {"level", "1", "what comes at the receiver, as a share of full scale; middle of a bin", levels}};
}

}  // namespace

TrialModel waveform_model(const StudyConfig& config, const Networks& networks, const Foundry& foundry) {
  return model_of_chips(config, networks, foundry, run_waveform);
}

StudyModel waveform_study_model() {
  const auto by_layer = [](std::string_view name, std::string_view unit, std::string_view long_name,
                           std::string_view label, std::vector<std::string_view> axes) {
    return Metric{name, unit, long_name, label, Better::lower, MetricKind::number, {}, std::move(axes)};
  };
  return {
      .name = "waveform",
      .simulates = "one OptINC chip and the shape of its words in time",
      .trial = "chip",
      .list = "chips",
      .metrics = {{"words_wrong", "1", "Fraction of the words in succession decided wrongly",
                   "share of words wrong", Better::lower, MetricKind::share},
                  {"waveform_error", "digit",
                   "RMS deviation of the servers' samples from settled words without noise",
                   "rms error of the servers' samples", Better::lower},
                  by_layer("layer_deviation", "1",
                           "RMS deviation of a layer's output from settled words without noise, at the best "
                           "instant, as a share of its full scale",
                           "rms deviation (share of full scale)", {"variant", "layer"}),
                  by_layer("waveform_penalty", "dB",
                           "Penalty of words in succession: deviation of a layer's output over that of settled "
                           "words with noise",
                           "penalty of words in succession", {"variant", "layer"}),
                  by_layer("symbol_deviation", "1",
                           "RMS deviation from settled words without noise, at every instant of a symbol, as a "
                           "share of the layer's full scale",
                           "rms deviation (share of full scale)", {"variant", "layer", "instant"}),
                  {"layer_eye",
                   "1",
                   "Number of a layer's samples at this level, before rectifiers",
                   "samples",
                   Better::neither,
                   MetricKind::counts,
                   {},
                   {"variant", "layer", "instant", "level"}}},
      .variants = {{"uncorrected"}, {"corrected_quadrature"}, {"noisy"}},
      .error_metric = "waveform_error",
      .reads = chip_keys({"!measure.arithmetic"}),
      .validate = validate_waveform,
      .validated = "time",
      .networks = own_network,
      .axes = waveform_axes,
      .make =
          [](const StudyConfig& config, const StudyInputs& inputs, const std::filesystem::path&) {
            return waveform_model(config, inputs.networks, Foundry(inputs.chips));
          },
      .memory_bytes = chip_memory_bytes};
}

}  // namespace optinc
