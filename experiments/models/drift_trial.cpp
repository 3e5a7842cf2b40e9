#include <algorithm>
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
#include "onn/link/checked_sums.hpp"
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

/// One chip's life in one variant: what it does at an instant, on a given calibration.
struct DriftRun {
  const ChipDesign& design;
  const StudyConfig& config;
  const DriftingChip& chip;
  const Recorder& record;
  std::uint32_t trial;
  std::size_t variant;

  /// Records an instant of a chip that was set at instant `calibrated`, its oscillators so far behind. Returns
  /// the share of checked blocks, lane by lane, whose first sending failed; 0 without checks.
  double live(std::size_t k, const OperatedChip& at, std::size_t calibrated, double oscillator_lag) const {
    const auto put = [&](std::string_view metric, std::size_t cell, double value) {
      const auto where = record.cells(metric, variant);
      if (!where.empty()) where[cell] = value;
    };
    const auto instant = static_cast<std::uint32_t>(k);
    const TransmissionSeed seed{config.run.seed, trial, 0, instant};
    const ChipErrors now = errors_at(config, chip, at, calibrated, k);
    put("phase_drift", k, phase_change_rms(now, at.errors));
    const LightSince light = {oscillator_lag, chip.history.brighter_db(calibrated, k)};
    const ChipState state = settled_at(design, config, at, now, light, trial, k);
    const LitUnit unit{design, state, config.hardware, config.noise, config.measure.arithmetic};
    put("oscillator_phase", k, oscillator_rms_rad(state));
    const Codes codes = codes_of_words(design.task, drawn_words(config, trial, instant));
    const Eigen::VectorXd error = average_codes(unit, codes, seed).cast<double>() -
                                  exact_answers(design.task, codes, instant).cast<double>();
    put("instant_accuracy", k, (error.array() == 0.0).cast<double>().mean());
    put("instant_error_rms", k, std::sqrt(error.array().square().mean()) * design.task.answer_step());
    const double failed = failed_checks(unit, codes, seed);
    put("failed_checks", k, failed);
    put("since_calibration", k, static_cast<double>(k - calibrated) * config.drift.interval_s);
    put("die_temperature", k, chip.history.die_k[static_cast<Eigen::Index>(k)]);
    put("laser_drift", k, chip.history.wavelength_m[static_cast<Eigen::Index>(k)]);
    put("light_drift", k, chip.history.light_db[static_cast<Eigen::Index>(k)]);
    if (k == 0 || k + 1 == static_cast<std::size_t>(config.drift.instants)) {
      const Codes all = codes_of_words(design.task, judged_words(config));
      put("accuracy_all_words", k == 0 ? 0 : 1,
          share_right(design.task, average_codes(unit, all, seed), all, instant));
    }
    return failed;
  }

 private:
  double failed_checks(const LitUnit& unit, const Codes& codes, const TransmissionSeed& seed) const {
    const int block = checked_block(design.task, config.hardware);
    return block == 0 ? 0.0 : checked_sums(unit, codes, block, sums_seed(unit, seed), 1).share_failed();
  }
};

/// Calibrated when checks fail too often, and at no other time: each instant depends on the one before it.
void run_checked(const DriftRun& run, const Foundry& foundry) {
  const auto instants = static_cast<std::size_t>(run.config.drift.instants);
  std::vector<std::size_t> calibrated(instants, 0);
  std::vector<double> lag = oscillator_lag_rad_per_m(run.chip.history, calibrated, run.config.hardware);
  OperatedChip at = run.chip.first;
  std::uint32_t number = 0;
  for (std::size_t k = 0; k < instants; ++k) {
    if (run.live(k, at, calibrated[k], lag[k]) <= run.config.drift.failed_share || k + 1 == instants) continue;
    at = calibrated_again(run.design, run.config, run.trial, ++number, foundry);
    std::fill(calibrated.begin() + static_cast<std::ptrdiff_t>(k + 1), calibrated.end(), k + 1);
    lag = oscillator_lag_rad_per_m(run.chip.history, calibrated, run.config.hardware);
  }
}

/// Calibrated at set times: instants are independent.
void run_scheduled(const DriftRun& run, const Foundry& foundry, bool again) {
  const StudyConfig& config = run.config;
  const auto instants = static_cast<std::size_t>(config.drift.instants);
  const auto calibrated = calibrated_at(config, again);
  const auto number = calibration_numbers(calibrated);
  const auto lag = oscillator_lag_rad_per_m(run.chip.history, calibrated, config.hardware);
  // some calibrations at a time: a chip may be calibrated at every one of its instants
  for (std::size_t begin = 0; begin < instants;) {
    std::size_t end = begin;
    while (end < instants && number[end] < number[begin] + calibrations_at_once) ++end;
    std::vector<OperatedChip> chips(number[end - 1] - number[begin] + 1);
    parallel_for(chips.size(), config.run.threads, [&](std::size_t i) {
      const std::size_t which = number[begin] + i;
      chips[i] = which == 0 ? run.chip.first
                            : calibrated_again(run.design, config, run.trial, static_cast<std::uint32_t>(which),
                                               foundry);
    });
    parallel_for(end - begin, config.run.threads, [&](std::size_t i) {
      const std::size_t k = begin + i;
      run.live(k, chips[number[k] - number[begin]], calibrated[k], lag[k]);
    });
    begin = end;
  }
}

void run_drift(const ChipStudy& study, const StudyConfig& config, std::uint32_t trial,
               std::span<double> cells) {
  const ChipDesign& design = study.designs[network_number(study.networks, config)];
  const Recorder record(study.layout, cells);
  const DriftingChip chip = drifting_chip(design, config, trial, study.foundry);
  for (std::size_t v = 0; v < study.variants.size(); ++v) {
    record.put("heater_power", v, chip.heater_power_w);
    const DriftRun run{design, config, chip, record, trial, v};
    if (study.variants[v] == "checked")
      run_checked(run, study.foundry);
    else
      run_scheduled(run, study.foundry, study.variants[v] == "recalibrated");
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

void require_checks(const StudyConfig& config) {
  const std::vector<std::string> variants = measured_variants(config);
  validate(std::ranges::find(variants, "checked") == variants.end() ||
               checked_block(config.task, config.hardware) > 0,
           "variant checked without checks (failed ones tell it when to calibrate). Set link.check_block = 64 "
           "and network.source = \"digit-sums\", or leave the variant out.");
}

std::vector<ModelAxis> drift_axes(const StudyConfig& config, std::size_t) {
  std::vector<double> times;
  for (int k = 0; k < config.drift.instants; ++k) times.push_back(k * config.drift.interval_s);
  return {{"time", "s", "time since the first calibration", std::move(times)},
          {"end", "1", "instant", std::vector<std::string>{"first", "last"}}};
}

}  // namespace

StudyModel drift_study_model() {
  return {
      .name = "drift",
      .simulates = "one OptINC chip that drifts over time",
      .trial = "chip",
      .list = "chips",
      .metrics = {{"instant_accuracy",
                   "1",
                   "Fraction of the drawn words decoded exactly at this time",
                   "share of words right",
                   Better::higher,
                   MetricKind::share,
                   "words wrong",
                   {"variant", "time"}},
                  {"instant_error_rms",
                   "LSB",
                   "RMS code error over the drawn words at this time",
                   "rms code error",
                   Better::lower,
                   MetricKind::number,
                   {},
                   {"variant", "time"}},
                  {"phase_drift",
                   "rad",
                   "RMS change of the chip's phases since the last calibration",
                   "rms phase change",
                   Better::lower,
                   MetricKind::number,
                   {},
                   {"variant", "time"}},
                  {"oscillator_phase",
                   "rad",
                   "RMS phase of local oscillators against their light, from drift alone",
                   "oscillator phase",
                   Better::lower,
                   MetricKind::number,
                   {},
                   {"variant", "time"}},
                  {"failed_checks",
                   "1",
                   "Fraction of checked blocks that fail, lane by lane, at this time; 0 without "
                   "link.check_block",
                   "share of checks that fail",
                   Better::lower,
                   MetricKind::share,
                   {},
                   {"variant", "time"}},
                  {"since_calibration",
                   "s",
                   "Time since the last calibration",
                   "time since calibration",
                   Better::neither,
                   MetricKind::number,
                   {},
                   {"variant", "time"}},
                  {"die_temperature",
                   "K",
                   "Die temperature relative to the mean ambient temperature",
                   "die over mean ambient",
                   Better::neither,
                   MetricKind::number,
                   {},
                   {"variant", "time"}},
                  {"laser_drift",
                   "m",
                   "Laser wavelength relative to its mean",
                   "wavelength less its mean",
                   Better::neither,
                   MetricKind::number,
                   {},
                   {"variant", "time"}},
                  {"light_drift",
                   "dB",
                   "Power of the servers' light relative to its mean",
                   "light less its mean",
                   Better::neither,
                   MetricKind::number,
                   {},
                   {"variant", "time"}},
                  {"accuracy_all_words",
                   "1",
                   "Fraction of all words decoded exactly",
                   "share of all words right",
                   Better::higher,
                   MetricKind::share,
                   "words wrong, of all",
                   {"variant", "end"}},
                  {"heater_power", "W", "Electrical power of all heaters, with static phase offsets trimmed",
                   "power of all heaters", Better::lower}},
      .variants = {{"drifting"}, {"recalibrated"}, {"checked", true}},
      .error_metric = "instant_error_rms",
      .reads = chip_keys({"!calibration.diagonal_epochs", "!calibration.diagonal_rate", "heater", "die",
                          "owner", "drift", "fabrication.heater_power_spread"}),
      .validate = validate_environment,
      .validated = "environment",
      .require_records = require_checks,
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
