#pragma once

#include "onn/calibration_settings.hpp"
#include "onn/chip.hpp"

namespace optinc {

/// A fabricated chip after calibration.
struct CalibratedChip {
  ChipErrors errors;  ///< as light meets them: splitters and losses as fabricated, offsets that are left
  ChipErrors known;   ///< as the operator believes they are: what program_chip() corrects for
};

/// Fabricates chip `chip` of the model and calibrates it. Under `noisy` with exact estimates, `errors` and
/// `known` are those of fabricate(). Every policy keeps the chip's splitters, losses and phase noise.
CalibratedChip calibrate(const ChipDesign& design, const ErrorModel& model, const CalibrationSettings& settings,
                         std::uint64_t seed, std::uint32_t chip);

/// Programs it: program_chip() for what is known; under `in_situ` the phases of every mesh then go down the
/// measured |Re(T - t U)|^2 (fit_program; t the mean loss of the design; homodyne receivers see no more), and
/// to the grid of the DAC last. Attenuators stay as programmed. Measurements are free of noise.
ChipProgram program_calibrated(const ChipDesign& design, const CalibratedChip& chip, const ErrorModel& model,
                               Programming programming, const CalibrationSettings& settings);

}  // namespace optinc
