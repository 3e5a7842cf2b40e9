#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <nanobind/nanobind.h>

#include "onn/chip/calibration.hpp"
#include "onn/chip/environment.hpp"
#include "onn/link/operated_chip.hpp"

#include "python/bindings/bindings.hpp"
#include "python/bindings/wafers.hpp"

/// \file units.hpp Units and their chips, as several sources of this folder know them.

namespace optinc::bindings {

/// A network and the chip that is designed for it.
struct UnitParts {
  Network network;
  ChipDesign design;
};
struct Unit {
  std::shared_ptr<const UnitParts> parts;

  const Task& task() const { return parts->design.task; }
};

/// A fabricated unit before it is programmed.
struct Chip {
  Unit unit;
  ErrorModel model;
  std::uint64_t seed = 1;
  std::uint32_t number = 0;
  ChipErrors errors;                ///< with the phase noise of instant 0 where nothing calibrated it
  std::optional<ChipErrors> known;  ///< what calibration found out; none: everything, exactly
  CalibrationSettings calibration = {};
  ChipProgram static_phases = {}, heater_power = {};  ///< of one from a wafer (CalibratedChip)

  const ChipDesign& design() const { return unit.parts->design; }
};

/// A unit in operation.
struct ProgrammedChip {
  Chip fabricated;  ///< as it was when it was programmed
  UnitHardware hardware;
  OperatedChip operated;  ///< of the unit's design, or of that with diagonals of its own
  ChipState state;

  const ChipDesign& design() const { return *operated.design; }
  const Task& task() const { return fabricated.unit.task(); }
};

Chip fabricate_unit(const Unit& unit, const ModelOrPreset& model, std::uint64_t seed, std::uint32_t number);
Chip calibrate_unit(const Unit& unit, const ModelOrPreset& model, const CalibrationSettings& settings,
                    std::uint64_t seed, std::uint32_t number, std::uint32_t calibration, const Wafer* wafer);

/// Chip and its errors; what time and temperature make of a programmed one.
void bind_chip(nanobind::module_& m);
void bind_environment(nanobind::class_<ProgrammedChip>& c);

/// "<Unit: 4 servers, 8 bits, ...>"
std::string described(const char* what, const Unit& unit);

}  // namespace optinc::bindings
