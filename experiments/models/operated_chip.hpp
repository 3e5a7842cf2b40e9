#pragma once

#include <memory>

#include "experiments/models/foundry.hpp"
#include "experiments/study/study_config.hpp"
#include "onn/chip/calibration.hpp"

namespace optinc {

/// A chip in operation, before it settles: what was set, and what the light meets.
struct OperatedChip {
  /// What it was programmed for: the study's design, or that for the known losses of a measured chip.
  std::shared_ptr<const ChipDesign> design;
  ChipProgram program;
  ChipProgram heaters;  ///< what its heaters are asked for: static phases trimmed, unless nothing is calibrated
  ChipErrors errors;    ///< without phase noise (with_phase_noise())
  ChipProgram heater_power;  ///< P_pi of every heater over its design (CalibratedChip); without layers: 1
};

/// The life of chip `trial` from its calibration on up to the light: program ([calibration]), heaters warm each
/// other ([crosstalk]), and be used at another temperature and wavelength than it was calibrated at
/// ([environment]; how phases answer: [drift]). `design` must outlive it.
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
