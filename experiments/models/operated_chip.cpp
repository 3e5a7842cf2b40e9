#include "experiments/models/operated_chip.hpp"

#include "onn/crosstalk.hpp"
#include "onn/surroundings.hpp"

namespace optinc {

CalibratedChip calibrated_chip(const ChipDesign& design, const StudyConfig& config, std::uint32_t trial,
                               std::uint32_t number) {
  return calibrate(design, config.chip, config.calibration, config.run.seed, trial, number);
}

OperatedChip operate_chip(const ChipDesign& design, const StudyConfig& config, const CalibratedChip& chip,
                          std::uint32_t trial, Programming programming) {
  OperatedChip operated;
  operated.program = program_calibrated(design, chip, config.chip, programming, config.calibration);
  operated.heaters = config.calibration.policy == CalibrationPolicy::none
                         ? operated.program
                         : trimmed(operated.program, config.run.seed, trial);
  operated.errors = chip.errors;
  if (config.crosstalk.x0 > 0)
    add_crosstalk(design, chip_crosstalk(design, config.crosstalk), operated.heaters, operated.errors);
  if (config.operation != Surroundings{})
    operated.errors = errors_in(config.operation, operated.errors, operated.heaters,
                                draw_imbalance(design, config.drift.sensitivity, config.run.seed, trial),
                                config.drift.sensitivity);
  return operated;
}

ChipState chip_in_operation(const ChipDesign& design, const StudyConfig& config, const CalibratedChip& chip,
                            std::uint32_t trial, Programming programming) {
  const OperatedChip operated = operate_chip(design, config, chip, trial, programming);
  return settle_chip(design, operated.program,
                     with_phase_noise(operated.errors, config.chip, config.run.seed, trial), config.chip);
}

}  // namespace optinc
