#pragma once

#include <span>

#include "physics/devices/photodiode.hpp"

namespace optinc {

/// Averaging without a common phase: powers of independent lasers meet on one photodiode, and the current
/// drives a modulator of fresh light that a mesh can use (O/E/O). Noise is computed by the receiver
/// (receiver.hpp), the drive by the modulator.
struct IncoherentSum {
  PhotodiodeSettings diode;
  double full_scale_power_w = 400e-6;  ///< sum of all inputs at which the modulator is fully open
  double seed_power_w = 1e-3;          ///< fresh light: output power at full scale
};

/// Photocurrent of mutually incoherent inputs, i = R sum_n P_n + I_d, A. Their beat notes lie at the lasers'
/// frequency differences and must be out of the receiver's band.
double incoherent_current_a(const IncoherentSum& stage, std::span<const double> powers_w);

/// Field of the seed re-modulated by a photocurrent i, sqrt(W): linear in the current (the drive undoes the
/// modulator's sine), E = sqrt(P_seed) clamp((i - I_d) / (R P_full), 0, 1).
double remodulated_field_of_current_sqrt_w(const IncoherentSum& stage, double current_a);

/// The same of the current of these powers, without noise. So intensity-encoded digits P_n = (g_n/3) P leave as
/// the amplitude-encoded digit of their mean when P_full = N P.
double remodulated_field_sqrt_w(const IncoherentSum& stage, std::span<const double> powers_w);

/// Mean power that a passive single-mode N:1 combiner passes of incoherent inputs, (1/N) sum P_n, W: it costs
/// 1/N, and its output cannot drive a coherent mesh.
double passive_incoherent_power_w(std::span<const double> powers_w);

/// Throws Error, naming the field; the functions above also refuse negative powers and an empty list.
void validate_incoherent_sum(const IncoherentSum& stage);

}  // namespace optinc
