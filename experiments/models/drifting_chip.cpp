#include "experiments/models/drifting_chip.hpp"

#include "onn/chip/heater_power.hpp"

namespace optinc {
OperatedChip calibrated_again(const ChipDesign& design, const StudyConfig& config, std::uint32_t trial,
                              std::uint32_t number, const Foundry& foundry) {
  return operate_chip(design, config, calibrated_chip(design, config, trial, number, foundry), trial,
                      Programming::corrected);
}

DriftingChip drifting_chip(const ChipDesign& design, const StudyConfig& config, std::uint32_t trial,
                           const Foundry& foundry) {
  DriftingChip chip;
  chip.first = calibrated_again(design, config, trial, 0, foundry);
  chip.imbalance = draw_imbalance(design, config.drift.sensitivity, config.run.seed, trial);
  chip.heater_power_w =
      heater_power_w(chip.first.heaters, config.hardware.heater.p_pi_w, chip.first.heater_power);
  chip.history = drift_history(config.drift, config.hardware.die, chip.heater_power_w, config.run.seed, trial);
  return chip;
}

std::vector<std::size_t> calibrated_at(const StudyConfig& config, bool again) {
  if (!again || config.calibration.policy == CalibrationPolicy::none)  // which never calibrates
    return std::vector<std::size_t>(static_cast<std::size_t>(config.drift.instants), 0);
  return calibration_instants(config.drift);
}

std::vector<std::size_t> calibration_numbers(const std::vector<std::size_t>& calibrated) {
  std::vector<std::size_t> number(calibrated.size(), 0);
  for (std::size_t k = 1; k < number.size(); ++k) number[k] = number[k - 1] + (calibrated[k] == k ? 1 : 0);
  return number;
}

ChipErrors errors_at(const StudyConfig& config, const DriftingChip& chip, const OperatedChip& at,
                     std::size_t calibrated, std::size_t k) {
  return errors_in(chip.history.between(calibrated, k), at.errors, at.heaters, chip.imbalance,
                   config.drift.sensitivity, config.hardware);
}

ChipState settled_at(const ChipDesign& design, const StudyConfig& config, const OperatedChip& at,
                     const ChipErrors& now, const LightSince& light, std::uint32_t trial, std::size_t k) {
  return settle_operated(
      design, at, with_phase_noise(now, config.chip, config.run.seed, trial, static_cast<std::uint32_t>(k)),
      light, config.chip, config.hardware);
}

}  // namespace optinc
