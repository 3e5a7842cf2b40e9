#include "experiments/models/operated_chip.hpp"

#include "onn/crosstalk.hpp"
#include "onn/surroundings.hpp"

namespace optinc {

CalibratedChip calibrated_chip(const ChipDesign& design, const StudyConfig& config, std::uint32_t trial) {
  return calibrate(design, config.chip, config.calibration, config.run.seed, trial);
}

OperatedChip operate_chip(const ChipDesign& design, const StudyConfig& config, const CalibratedChip& chip,
                          std::uint32_t trial, Programming programming) {
  OperatedChip operated;
  operated.program = program_calibrated(design, chip, config.chip, programming, config.calibration);
  operated.errors = chip.errors;
  if (config.crosstalk.x0 > 0)
    add_crosstalk(chip_crosstalk(design, config.crosstalk), operated.program, operated.errors);
  if (config.operation != Surroundings{})
    operated.errors = errors_in(config.operation, operated.errors, operated.program,
                                draw_imbalance(design, config.drift.sensitivity, config.run.seed, trial),
                                config.drift.sensitivity);
  return operated;
}

ChipState chip_in_operation(const ChipDesign& design, const StudyConfig& config, const CalibratedChip& chip,
                            std::uint32_t trial, Programming programming) {
  const OperatedChip operated = operate_chip(design, config, chip, trial, programming);
  return settle_chip(design, operated.program, operated.errors, config.chip);
}

}  // namespace optinc
