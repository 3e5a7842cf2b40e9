#pragma once

#include <span>
#include <vector>

#include "onn/chip/chip.hpp"
#include "onn/chip/drift.hpp"
#include "onn/hardware/unit_hardware.hpp"

// The phase of the receivers' local oscillators against their light: what the way through the meshes adds to it
// that an oscillator past the meshes does not see. Phases that are constant for a chip are
// link.sigma_oscillator_rad.

namespace optinc {

/// Way of light from where a modulator sends it to the receivers behind each layer, m: the columns of its
/// meshes, those of layers before it whose light goes on unreceived (of several the longest), and the
/// waveguides to and from them. 0 of layers that no receivers stand behind.
std::vector<double> received_path_m(const ChipDesign& design, const UnitHardware& hardware);

/// By how much of that way oscillators are shorter, m: all of it where link.oscillators = direct, otherwise
/// nothing.
std::vector<double> oscillator_mismatch_m(const ChipDesign& design, const UnitHardware& hardware);

/// Guide of the oscillators of a layer that go as far as their signals, m, and its loss, dB: one a layer, split
/// behind it; received_path_m() where link.oscillators = beside-signal, otherwise nothing.
std::vector<double> oscillator_guides_m(const ChipDesign& design, const UnitHardware& hardware);
std::vector<double> oscillator_guides_db(const ChipDesign& design, const UnitHardware& hardware);

/// rms phase that the laser's linewidth makes of that mismatch, rad, per layer: sqrt(2 pi linewidth n_g L / c)
/// (self_heterodyne_phase_variance_rad2). It lasts for L n_g / c, less than a nanosecond: no lock follows it.
/// Words draw it one by one, so that equalisers see less of it than there is.
std::vector<double> oscillator_walk_rad(const ChipDesign& design, const UnitHardware& hardware);

/// rms phase of receivers' oscillators against their light that no calibration removes, rad:
/// link.sigma_oscillator_rad, the dither, and of all layers the largest oscillator_walk_rad(), in squares.
double oscillator_rms_rad(const ChipDesign& design, const UnitHardware& hardware);

/// Sets oscillator_rad of every layer of a chip whose paths have changed by so many rad per m since the
/// oscillators' phases were set (path_phase_rad_per_m), less what locks have followed.
void turn_oscillators(ChipState& chip, const ChipDesign& design, const UnitHardware& hardware,
                      double rad_per_m);

/// What locks of link.oscillator_loop_hz leave of a chip's drift, rad per m of mismatch, at every instant
/// (phase_lock_error_rad, with steady rates between instants). `calibrated`: instant of the last calibration at
/// or before each; it sets the phases anew.
std::vector<double> oscillator_lag_rad_per_m(const DriftHistory& history,
                                             std::span<const std::size_t> calibrated,
                                             const UnitHardware& hardware);

/// The same long after a change: all of it, or nothing where there are locks.
double settled_lag_rad_per_m(const Environment& change, const UnitHardware& hardware);

}  // namespace optinc
