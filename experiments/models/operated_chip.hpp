#pragma once

#include <memory>

#include "experiments/models/foundry.hpp"
#include "experiments/study/study_config.hpp"
#include "onn/link/operated_chip.hpp"

namespace optinc {

/// What a study says of it: [chip], [calibration], [crosstalk], how phases answer ([drift]), the devices, and
/// [environment].
Operation operation_of(const StudyConfig& config);

/// operate_chip() as a study says. `design` must outlive it.
OperatedChip operate_chip(const ChipDesign& design, const StudyConfig& config, const CalibratedChip& chip,
                          std::uint32_t trial, Programming programming);

/// Chip `trial` of the study, made as [chip] and [fabrication] say and calibrated for the first time (`number`
/// 0) or once more. All chips of all models come from here. `doped-heaters`: the study's, which prepares a die
/// once for all, and has the chips that chip.measured names.
CalibratedChip calibrated_chip(const ChipDesign& design, const StudyConfig& config, std::uint32_t trial,
                               std::uint32_t number = 0, const Foundry& foundry = Foundry());

/// A chip in operation and settled, and the design that it is lit by: the study's own, or with diagonals that
/// were trained again on its meshes.
struct LitChip {
  std::shared_ptr<const ChipDesign> design;
  ChipState state;
};

/// The same chip in operation, with the phase noise of instant 0. With calibration.diagonal_epochs its
/// diagonals are trained again, as the chip is while it is calibrated: heaters on, before [environment].
/// `design` must outlive it.
LitChip chip_in_operation(const ChipDesign& design, const StudyConfig& config, const CalibratedChip& chip,
                          std::uint32_t trial, Programming programming);

}  // namespace optinc
