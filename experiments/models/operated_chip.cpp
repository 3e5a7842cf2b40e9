#include "experiments/models/operated_chip.hpp"

#include "onn/link/oscillators.hpp"
#include "onn/training/diagonal_calibration.hpp"

namespace optinc {

Operation operation_of(const StudyConfig& config) {
  return {config.chip,     config.calibration, config.crosstalk,  config.drift.sensitivity,
          config.hardware, config.run.seed,    config.environment};
}

CalibratedChip calibrated_chip(const ChipDesign& design, const StudyConfig& config, std::uint32_t trial,
                               std::uint32_t number, const Foundry& foundry) {
  return calibrate(design, config.chip, config.calibration, {config.run.seed, trial, number},
                   foundry.variation(meshes_of(design), config), foundry.measured(config));
}

OperatedChip operate_chip(const ChipDesign& design, const StudyConfig& config, const CalibratedChip& chip,
                          std::uint32_t trial, Programming programming) {
  return operate_chip(design, operation_of(config), chip, trial, programming);
}

LitChip chip_in_operation(const ChipDesign& design, const StudyConfig& config, const CalibratedChip& chip,
                          std::uint32_t trial, Programming programming) {
  Operation at_calibration = operation_of(config);
  at_calibration.environment = {};
  LitChip lit{retrained_design(design, at_calibration, chip, trial, programming,
                               {config.training, config.noise, config.run.threads}),
              {}};
  const OperatedChip operated = operate_chip(*lit.design, config, chip, trial, programming);
  lit.state = settle_operated(
      *lit.design, operated, with_phase_noise(operated.errors, config.chip, config.run.seed, trial),
      {settled_lag_rad_per_m(config.environment, config.hardware), 0.0}, config.chip, config.hardware);
  return lit;
}

}  // namespace optinc
