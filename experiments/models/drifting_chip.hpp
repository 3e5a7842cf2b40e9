#pragma once

#include <cstdint>
#include <vector>

#include "experiments/models/operated_chip.hpp"
#include "onn/chip/drift.hpp"

namespace optinc {

/// One chip, calibrated and programmed for the first time, and all that will act on it.
struct DriftingChip {
  OperatedChip first;
  ChipImbalance imbalance;
  double heater_power_w = 0.0;
  DriftHistory history;
};

/// Chip `trial` of a study, from its foundry, and what it will see ([drift]).
DriftingChip drifting_chip(const ChipDesign& design, const StudyConfig& config, std::uint32_t trial,
                           const Foundry& foundry = Foundry());

/// The chip as calibration `number` leaves it: what it found out, what was programmed for it, and the heat that
/// the new program spreads.
OperatedChip calibrated_again(const ChipDesign& design, const StudyConfig& config, std::uint32_t trial,
                              std::uint32_t number, const Foundry& foundry = Foundry());

/// Instant of the calibration that each instant lives on: the first, or with `again` the last one due.
std::vector<std::size_t> calibrated_at(const StudyConfig& config, bool again);

/// Number of that calibration, 0, 1 ...
std::vector<std::size_t> calibration_numbers(const std::vector<std::size_t>& calibrated);

/// Errors of the chip at instant `k`, set at instant `calibrated` as `at` says; without phase noise.
ChipErrors errors_at(const StudyConfig& config, const DriftingChip& chip, const OperatedChip& at,
                     std::size_t calibrated, std::size_t k);

/// The same settled, with the phase noise of that instant, and with light that has changed so. Gains and
/// thresholds are those of the calibration.
ChipState settled_at(const ChipDesign& design, const StudyConfig& config, const OperatedChip& at,
                     const ChipErrors& now, const LightSince& light, std::uint32_t trial, std::size_t k);

}  // namespace optinc
