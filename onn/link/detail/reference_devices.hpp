#pragma once

#include <vector>

#include "onn/chip/chip_design.hpp"
#include "onn/hardware/unit_hardware.hpp"
#include "onn/link/noise.hpp"
#include "physics/core/field.hpp"

// Single devices and ways of a unit for reference_transmit(): no function knows more than its own.

namespace optinc {

/// Field behind a modulator at a level of its full scale, sqrt(W), its drive `linear` in the field or in the
/// level. full_scale_w contains its insertion loss.
Complex modulated(double level, double full_scale_w, const MzmSettings& modulator, bool linear);

/// Field that a server sends for a digit, sqrt(W); power, W, where averaging is incoherent.
Complex server_field(double digit, const UnitHardware& hardware);
double server_power_w(double digit, const UnitHardware& hardware);

/// rms phase of a server's light against its oscillator, rad.
double server_lock_rms_rad(const UnitHardware& hardware);

/// Field ratio of a tree of 1:2 splitters to so many ends, beside that of even splitting: a stage for every
/// doubling.
double tree_ratio(const UnitHardware& hardware, std::size_t ends);

/// Field ratio of a layer's waveguide: the stretch to and from the meshes, and the arms of the output screen.
double routing_ratio(const UnitHardware& hardware);

/// Field ratio of a delay line in which light waits.
double waiting_ratio(const UnitHardware& hardware, double wait_s);

/// Field ratio of unit T's splitters, each of so many ends getting one share, and of the fibre and coupler that
/// lead there; neither where sums are decided on the chip.
double unit_t_ratio(const Task& task, const UnitHardware& hardware);

/// Weights w_mn of the combiner of digit lane m, as fabricated, its splitters' excess loss aside.
std::vector<Complex> lane_weights(const Task& task, const UnitHardware& hardware, const TransmissionSeed& seed,
                                  int lane);

/// By how much the modulators of a server, or of a layer, are late, s: of group n or servers + layer.
std::vector<double> lateness_s(const UnitHardware& hardware, const TransmissionSeed& seed, std::size_t group,
                               int modulators);

/// Ceiling of a neuron of a layer, as fabricated. Real limiters, soft or unequal, act on neurons that have
/// none, too: at their modulators' full scale.
double neuron_ceiling(const ChipDesign& design, std::size_t layer, Eigen::Index neuron,
                      const LinkSettings& link, const TransmissionSeed& seed);

/// Longest way through meshes to a layer's outputs since its light was last modulated, m.
double columns_m(const ChipDesign& design, std::size_t layer, const UnitHardware& hardware);

/// rms phase that the linewidth makes of the way past which the oscillators of a layer go, `path_m`, rad.
double linewidth_phase_rms_rad(const UnitHardware& hardware, double path_m);

}  // namespace optinc
