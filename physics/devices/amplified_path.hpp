#pragma once

#include <span>

#include "physics/devices/amplifier.hpp"

namespace optinc {

/// OSNR behind a chain of amplifiers and losses, dB: G P/(2 S B_ref) with gain G and noise factor F of the
/// whole chain (cascaded_stages) and S = h nu (F G - 1)/2. n spans whose amplifier of noise factor F_a makes up
/// for the loss L before it: P/(n h nu (F_a L - 1) B_ref), -10 log10 n below one span. Throws Error for a power
/// <= 0, and for a chain without noise of its own, whose OSNR has no bound.
double chain_osnr_db(std::span<const NoisyStage> chain, double input_power_w, double wavelength_m = 1550e-9,
                     double reference_bandwidth_hz = 12.5e9);

/// Power of noise in the signal's polarisation and bandwidth R over the mean power of the signal, from an OSNR
/// that counts both polarisations in B_ref: R/(2 B_ref OSNR).
double noise_to_signal(double osnr_db, double symbol_rate_bd, double reference_bandwidth_hz = 12.5e9);

/// Bit error rate of Gray-coded PAM of equally spaced powers 0 .. 2 P, detected directly behind an optical
/// filter of the symbol rate, when light of power r P that is not the signal's beats with it (amplifier noise
/// and crosstalk of many sources alike) and the receiver adds noise of rms n P at every level: variances add,
/// level k has rms sqrt(beat_noise_w(P_k, r P)^2 + (n P)^2); neighbours alone are mistaken.
double beat_limited_bit_error_rate(int levels, double noise_to_signal, double receiver_noise = 0.0);

/// The largest r at which that rate is reached; the bit error rate rises with r. Throws Error unless
/// 0 < rate < 0.1.
double tolerated_noise_to_signal(int levels, double bit_error_rate);

/// The largest n at which that rate is reached beside light of r P; 1/((levels - 1) q) where r = 0. NaN where r
/// alone is too much. Throws Error as above.
double tolerated_receiver_noise(int levels, double bit_error_rate, double noise_to_signal);

}  // namespace optinc
