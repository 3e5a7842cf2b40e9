#include "experiments/models/operated_chip.hpp"

#include "onn/chip/crosstalk.hpp"
#include "onn/chip/environment.hpp"
#include "onn/link/oscillators.hpp"
#include "onn/training/diagonal_calibration.hpp"

namespace optinc {
namespace {

/// The design for this chip alone.
std::shared_ptr<const ChipDesign> design_of_chip(const ChipDesign& design, const StudyConfig& config,
                                                 const CalibratedChip& chip, std::uint32_t trial,
                                                 Programming programming) {
  if (config.calibration.diagonal_epochs == 0) return {std::shared_ptr<const ChipDesign>(), &design};
  StudyConfig at_calibration = config;
  at_calibration.environment = {};
  const OperatedChip measured = operate_chip(design, at_calibration, chip, trial, programming);
  TrainingSettings settings = config.training;
  settings.epochs = config.calibration.diagonal_epochs;
  settings.learning_rate = config.calibration.diagonal_rate;
  settings.warmup_epochs = 0;
  settings.stop_margin = 0.0;
  settings.hard_error = 0.0;  // every word once an epoch
  settings.window = 1.0;
  const TrainingUnit unit = {config.chip, config.hardware, config.noise};
  if (!meets_noise(unit)) settings.noise = 0.0;  // as in an ablation
  return std::make_shared<const ChipDesign>(with_trained_diagonals(
      *measured.design, settle_chip(*measured.design, measured.program, measured.errors, config.chip), unit,
      settings, config.run.seed, config.run.threads));
}

}  // namespace

CalibratedChip calibrated_chip(const ChipDesign& design, const StudyConfig& config, std::uint32_t trial,
                               std::uint32_t number, const Foundry& foundry) {
  return calibrate(design, config.chip, config.calibration, {config.run.seed, trial, number},
                   foundry.variation(meshes_of(design), config), foundry.measured(config));
}

OperatedChip operate_chip(const ChipDesign& design, const StudyConfig& config, const CalibratedChip& chip,
                          std::uint32_t trial, Programming programming) {
  OperatedChip operated;
  operated.design = chip.losses.empty()
                        ? std::shared_ptr<const ChipDesign>(std::shared_ptr<const ChipDesign>(), &design)
                        : std::make_shared<const ChipDesign>(with_known_losses(design, chip.losses));
  operated.program = program_calibrated(*operated.design, chip, config.chip, programming, config.calibration,
                                        oscillator_rms_rad(design, config.hardware));
  operated.heaters = config.calibration.policy == CalibrationPolicy::none ? operated.program
                     : chip.static_phases.layers.empty() ? trimmed(operated.program, config.run.seed, trial)
                                                         : trimmed(operated.program, chip.static_phases);
  operated.errors = chip.errors;
  operated.heater_power = chip.heater_power;
  if (config.crosstalk.x0 > 0)
    add_crosstalk(design, chip_crosstalk(design, config.crosstalk, config.hardware), operated.heaters,
                  operated.errors);
  if (config.environment != Environment{})
    operated.errors = errors_in(config.environment, operated.errors, operated.heaters,
                                draw_imbalance(design, config.drift.sensitivity, config.run.seed, trial),
                                config.drift.sensitivity, config.hardware);
  return operated;
}

LitChip chip_in_operation(const ChipDesign& design, const StudyConfig& config, const CalibratedChip& chip,
                          std::uint32_t trial, Programming programming) {
  LitChip lit{design_of_chip(design, config, chip, trial, programming), {}};
  const OperatedChip operated = operate_chip(*lit.design, config, chip, trial, programming);
  lit.state = settle_chip(*operated.design, operated.program,
                          with_phase_noise(operated.errors, config.chip, config.run.seed, trial), config.chip);
  turn_oscillators(lit.state, *lit.design, config.hardware,
                   settled_lag_rad_per_m(config.environment, config.hardware));
  return lit;
}

}  // namespace optinc
