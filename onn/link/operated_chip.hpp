#pragma once

#include <cstdint>
#include <memory>

#include "onn/chip/calibration.hpp"
#include "onn/chip/crosstalk_settings.hpp"
#include "onn/chip/drift_settings.hpp"
#include "onn/hardware/unit_hardware.hpp"

namespace optinc {

/// How chips are made ready for words, and what they meet then. What it refers to must outlive it.
struct Operation {
  const ErrorModel& chip;
  const CalibrationSettings& calibration;
  const CrosstalkSettings& crosstalk;
  const SensitivitySettings& sensitivity;
  const UnitHardware& hardware;
  std::uint64_t seed = 1;
  Environment environment = {};
};

/// A chip in operation, before it settles: what was set, and what the light meets.
struct OperatedChip {
  /// What it was programmed for: the design, or that for the known losses of a measured chip.
  std::shared_ptr<const ChipDesign> design;
  ChipProgram program;
  ChipProgram heaters;  ///< what its heaters are asked for: static phases trimmed, unless nothing is calibrated
  ChipErrors errors;    ///< without phase noise (with_phase_noise())
  ChipProgram heater_power;  ///< P_pi of every heater over its design (CalibratedChip); without layers: 1
};

/// The life of chip `number` from its calibration on up to the light: program it, let heaters warm each other,
/// and use it at another temperature and wavelength than it was calibrated at. `design` must outlive it.
OperatedChip operate_chip(const ChipDesign& design, const Operation& operation, const CalibratedChip& chip,
                          std::uint32_t number, Programming programming);

/// What has become of a chip's light since it was calibrated.
struct LightSince {
  double oscillator_rad_per_m = 0.0;  ///< by which oscillators' paths changed more than their locks followed
                                      ///< (oscillator_lag_rad_per_m)
  double servers_db = 0.0;            ///< by which the servers' light is stronger
};

/// The chip with errors `now`, phase noise among them, and light that has changed so. Gains and thresholds are
/// those of the calibration. `design`: that of its light.
ChipState settle_operated(const ChipDesign& design, const OperatedChip& at, const ChipErrors& now,
                          const LightSince& light, const ErrorModel& model, const UnitHardware& hardware);

}  // namespace optinc
