#include <cmath>
#include <memory>

#include "experiments/models/built_in_models.hpp"
#include "experiments/models/chip_memory.hpp"
#include "experiments/models/chip_study.hpp"
#include "experiments/models/chip_trial.hpp"
#include "experiments/models/drifting_chip.hpp"
#include "experiments/models/recorder.hpp"
#include "experiments/models/trial_model.hpp"
#include "experiments/study/study_warnings.hpp"
#include "onn/link/average.hpp"
#include "onn/link/oscillators.hpp"
#include "onn/task/words.hpp"
#include "physics/core/check.hpp"
#include "physics/core/parallel.hpp"

namespace optinc {
namespace {

constexpr std::size_t calibrations_at_once = 64;  // 5 MB each of the 8-bit network

/// Over the receivers of all neurons and of one server.
double oscillator_rms_rad(const ChipState& state) {
  double squares = 0.0, receivers = 0.0;
  for (const LayerState& layer : state.layers) {
    if (layer.oscillator_rad == 0) continue;
    squares += static_cast<double>(layer.transfer.rows()) * layer.oscillator_rad * layer.oscillator_rad;
    receivers += static_cast<double>(layer.transfer.rows());
  }
  return receivers == 0 ? 0.0 : std::sqrt(squares / receivers);
}

void run_drift(const ChipStudy& study, const StudyConfig& config, std::uint32_t trial,
               std::span<double> cells) {
  const ChipDesign& design = study.designs[network_number(study.networks, config)];
  const Recorder record(study.layout, cells);
  const DriftingChip chip = drifting_chip(design, config, trial, study.foundry);
  const auto instants = static_cast<std::size_t>(config.drift.instants);
  for (std::size_t v = 0; v < study.variants.size(); ++v) {
    const auto calibrated = calibrated_at(config, study.variants[v] == "recalibrated");
    const auto number = calibration_numbers(calibrated);
    const auto oscillator_lag = oscillator_lag_rad_per_m(chip.history, calibrated, config.hardware);
    record.put("heater_power", v, chip.heater_power_w);
    const auto put = [&](std::string_view metric, std::size_t k, double value) {
      const auto where = record.cells(metric, v);
      if (!where.empty()) where[k] = value;
    };
    const auto live = [&](std::size_t k, const OperatedChip& at) {
      const auto instant = static_cast<std::uint32_t>(k);
      const ChipErrors now = errors_at(config, chip, at, calibrated[k], k);
      put("phase_drift", k, phase_change_rms(now, at.errors));
      const ChipState state = settled_at(design, config, at, now, oscillator_lag[k], trial, k);
      put("oscillator_phase", k, oscillator_rms_rad(state));
      const auto send = [&](const Codes& codes) {
        return average_codes({design, state, config.hardware, config.noise, config.measure.arithmetic}, codes,
                             {config.run.seed, trial, 0, instant});
      };
      const Codes codes = codes_of_words(design.task, drawn_words(config, trial, instant));
      const Eigen::VectorXd error =
          send(codes).cast<double>() - exact_answers(design.task, codes).cast<double>();
      put("instant_accuracy", k, (error.array() == 0.0).cast<double>().mean());
      put("instant_error_rms", k, std::sqrt(error.array().square().mean()));
      put("die_temperature", k, chip.history.die_k[static_cast<Eigen::Index>(k)]);
      put("laser_drift", k, chip.history.wavelength_m[static_cast<Eigen::Index>(k)]);
      if (k == 0 || k + 1 == instants) {
        const Codes all = codes_of_words(design.task, judged_words(config));
        put("accuracy_all_words", k == 0 ? 0 : 1, share_right(design.task, send(all), all));
      }
    };
    // some calibrations at a time: a chip may be calibrated at every one of its instants
    for (std::size_t begin = 0; begin < instants;) {
      std::size_t end = begin;
      while (end < instants && number[end] < number[begin] + calibrations_at_once) ++end;
      std::vector<OperatedChip> chips(number[end - 1] - number[begin] + 1);
      parallel_for(chips.size(), config.run.threads, [&](std::size_t i) {
        const std::size_t which = number[begin] + i;
        chips[i] = which == 0 ? chip.first
                              : calibrated_again(design, config, trial, static_cast<std::uint32_t>(which),
                                                 study.foundry);
      });
      parallel_for(end - begin, config.run.threads,
                   [&](std::size_t i) { live(begin + i, chips[number[begin + i] - number[begin]]); });
      begin = end;
    }
  }
}

}  // namespace

TrialModel drift_model(const StudyConfig& config, const Networks& networks, const Foundry& foundry) {
  return model_of_chips(config, networks, foundry, run_drift);
}

namespace {

void validate_environment(const StudyConfig& config) {
  validate_field(config.environment == Environment{}, "temperature_k",
                 "{}, wavelength_m = {} in a study of model drift (both must be 0: [drift] sets the "
                 "environment). Set drift.ramp_k_per_s, drift.sine_k or drift.laser_m.",
                 config.environment.temperature_k, config.environment.wavelength_m);
}

std::vector<ModelAxis> drift_axes(const StudyConfig& config, std::size_t) {
  std::vector<double> times;
  for (int k = 0; k < config.drift.instants; ++k) times.push_back(k * config.drift.interval_s);
  return {{"time", "s", "time since the first calibration", std::move(times)},
          {"end", "1", "instant", std::vector<std::string>{"first", "last"}}};
}

}  // namespace

StudyModel drift_study_model() {
  return {.name = "drift",
          .simulates = "one OptINC chip that drifts over time",
          .trial = "chip",
          .list = "chips",
          .metrics =
              {metric("instant_accuracy", "1", "Fraction of the drawn words decoded exactly at this time",
                      "share of words right", Better::higher, MetricKind::share, "words wrong",
                      {"variant", "time"}),
               metric("instant_error_rms", "LSB", "RMS code error over the drawn words at this time",
                      "rms code error", Better::lower, MetricKind::number, {}, {"variant", "time"}),
               metric("phase_drift", "rad", "RMS change of the chip's phases since the last calibration",
                      "rms phase change", Better::lower, MetricKind::number, {}, {"variant", "time"}),
               metric("oscillator_phase", "rad",
                      "RMS phase of local oscillators against their light, from drift alone",
                      "oscillator phase", Better::lower, MetricKind::number, {}, {"variant", "time"}),
               metric("die_temperature", "K", "Die temperature relative to the mean ambient temperature",
                      "die over mean ambient", Better::neither, MetricKind::number, {}, {"variant", "time"}),
               metric("laser_drift", "m", "Laser wavelength relative to its mean", "wavelength less its mean",
                      Better::neither, MetricKind::number, {}, {"variant", "time"}),
               metric("accuracy_all_words", "1", "Fraction of all words decoded exactly",
                      "share of all words right", Better::higher, MetricKind::share, "words wrong, of all",
                      {"variant", "end"}),
               metric("heater_power", "W", "Electrical power of all heaters, with static phase offsets trimmed",
                      "power of all heaters", Better::lower)},
          .variants = {{"drifting"}, {"recalibrated"}},
          .error_metric = "instant_error_rms",
          .reads = chip_keys({"!calibration.diagonal_epochs", "!calibration.diagonal_rate", "heater", "die",
                              "owner", "drift", "fabrication.heater_power_spread"}),
          .validate = validate_environment,
          .validated = "environment",
          .warnings = drift_warnings,
          .networks = own_network,
          .axes = drift_axes,
          .make =
              [](const StudyConfig& config, const StudyInputs& inputs, const std::filesystem::path&) {
                return drift_model(config, inputs.networks, Foundry(inputs.chips));
              },
          .memory_bytes = chip_memory_bytes,
          .write_trial = write_chip_trial};
}

}  // namespace optinc
