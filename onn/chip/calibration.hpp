#pragma once

#include "onn/chip/calibration_settings.hpp"
#include "onn/chip/chip.hpp"
#include "physics/variation/chip_errors.hpp"
#include "physics/variation/fabrication_settings.hpp"

namespace optinc {

/// Known losses of a block of a chip: of an arm, mean of its mesh and of its attenuators, dB.
struct BlockLosses {
  double mesh_db = 0.0, attenuators_db = 0.0;
};
using KnownLosses = std::vector<std::vector<BlockLosses>>;  ///< [layer][block]; empty: nothing was measured

/// Those of a chip that was measured: of the dummy arms, or the mean of all arms where no dummy was measured.
KnownLosses known_losses(const ChipErrors& measured);

/// The design for a chip of these losses: receivers of every layer make up for those of its lossiest block, and
/// attenuators dim the other blocks to it. Blocks without attenuators share their mean.
ChipDesign with_known_losses(ChipDesign design, const KnownLosses& losses);

/// A fabricated chip after calibration.
struct CalibratedChip {
  ChipErrors errors;  ///< splitters and losses as fabricated, phase offsets that are left; without phase noise
  ChipErrors known;   ///< as the operator believes they are: what program() corrects for

  /// Of a chip whose devices share variations, one number for every phase of its program; empty otherwise.
  ChipProgram static_phases;  ///< of every shifter without heat, rad (trimmed())
  ChipProgram heater_power;   ///< P_pi of every heater over its design

  KnownLosses losses;  ///< of a chip that was measured
};

/// Which calibration of which chip. Calibrations draw from the streams of these three numbers.
struct CalibrationNumber {
  std::uint64_t seed = 1;
  std::uint32_t chip = 0;
  std::uint32_t number = 0;  ///< 0: the first; 1, 2, ..: recalibrations
};

/// Fabricates chip `of.chip` of the model and calibrates it for the first time (`of.number` 0) or once more (1,
/// 2, ..): every policy keeps the chip's splitters, losses and static phases, each calibration draws its own
/// residual and its own estimates. Phase noise is in neither part: it passes while one measures, and
/// with_phase_noise() adds what it is in operation. Under `noisy` with exact estimates, `errors` with the noise
/// of instant 0 and the splitters of `known` are those of fabricate().
/// With a die in `variation` (of meshes_of() the design), the devices of the chip also share what its process
/// does: the die's variations are added to splitters, and arms have the static phases of their dimensions,
/// which policy `none` leaves in the offsets and the others find up to sigma_cal_rad. Without spreads the chip
/// is, bit for bit, the one without a die.
/// With a `measured` chip, its errors are there and those of the model come on top: what the model draws is how
/// far the truth lies from the measurement. `noisy` and `in_situ` know its splitters as they were measured,
/// `oracle` as they are, and no policy its phase offsets, which are what the calibration left. Under preset
/// ideal it is, bit for bit, the chip that was measured. Throws Error where it has not the meshes of the
/// design.
CalibratedChip calibrate(const ChipDesign& design, const ErrorModel& model, const CalibrationSettings& settings,
                         const CalibrationNumber& of, const SharedVariation& variation = {},
                         const ChipErrors* measured = nullptr);

/// The errors of a block of symbols: N(0, sigma_phase) more on every phase offset, independent at every
/// instant of the chip's life, for the noise is correlated over 1 us .. 10 ms (assumed).
/// Instant 0 is the draw of fabricate().
ChipErrors with_phase_noise(ChipErrors errors, const ErrorModel& model, std::uint64_t seed, std::uint32_t chip,
                            std::uint32_t instant = 0);

/// The same of one mesh; `screen`: whether it has an output screen.
MeshErrors with_phase_noise(MeshErrors errors, bool screen, const ErrorModel& model, const MeshAddress& address,
                            std::uint32_t instant = 0);

/// What calibration `number` >= 1 leaves on the phases of one mesh: N(0, sigma_cal) more on every offset, the
/// draws of calibrate().
MeshErrors with_residual(MeshErrors errors, bool screen, const ErrorModel& model, const MeshAddress& address,
                         std::uint32_t number);

/// Programs it: program() for what is known. Policies `in_situ` and `twin` then fit the phases of every mesh
/// and set attenuators and receivers' gains by them (fit_chip()): `in_situ` on the calibrated chip itself, with
/// the exact gradient of the true device and without noise, an upper bound that no laboratory reaches
/// (CalibrationSettings::in_situ_steps says what it would take); `twin` on what is known of its splitters and
/// losses, its phases taken as they were set. To the grid of the DAC last. `oscillator_rad`: rms phase of
/// receivers' oscillators, at which light in the other quadrature is seen.
ChipProgram program_calibrated(const ChipDesign& design, const CalibratedChip& chip, const ErrorModel& model,
                               Programming programming, const CalibrationSettings& settings,
                               double oscillator_rad = 0.0);

/// What the heaters of a chip are asked for: p - phi_0 in [0, 2 pi) for every phase p of the program, for every
/// shifter has a static phase phi_0 of its own, uniform over a turn (0.8 rad per nm of width and 100 um:
/// dn_eff/dw = 2e-3 / nm of a 500 x 220 nm strip), that calibration found. The draws are those that policy
/// `none` leaves in the offsets.
ChipProgram trimmed(ChipProgram program, std::uint64_t seed, std::uint32_t chip);

/// The same of one mesh; `screen`: whether there is an output screen to trim.
MeshProgram trimmed(MeshProgram program, bool screen, const MeshAddress& address);

/// The same with static phases phi_0 that are known: those of a chip, or a mesh, whose devices share
/// variations.
MeshProgram trimmed(MeshProgram program, const MeshProgram& static_phases);
ChipProgram trimmed(ChipProgram program, const ChipProgram& static_phases);

}  // namespace optinc
