#pragma once

namespace optinc {

/// Balanced homodyne receiver of one neuron or output digit. Defaults: noise and bandwidth
/// of Patel et al., IEEE J. Solid-State Circuits (2022), doi 10.1109/JSSC.2022.3218558; the rest typical
/// (assumed).
struct ReceiverSettings {
  double lo_power_w = 1e-3;                ///< local oscillator
  double responsivity_a_per_w = 0.9;       ///< photodiode
  double dark_current_a = 30e-9;           ///< photodiode
  double tia_noise_a_per_rthz = 16.9e-12;  ///< input-referred, contains its resistor (Patel 2022)
  double bandwidth_hz = 32e9;              ///< noise bandwidth (Patel 2022)
  double rin_db_per_hz = -150.0;           ///< relative intensity noise of the seed laser
  double cmrr_db = 30.0;                   ///< common-mode rejection of the pair (electrical: 20 log10)
};

/// Signal current per field amplitude, A per sqrt(W): i = 2 R sqrt(P_LO) Re(E e^{-i phi_LO}).
double homodyne_current_per_field(const ReceiverSettings& settings);

/// Shot noise of both diodes, rms A: sqrt(2 q (R (P_LO + P_signal) + 2 I_d) B).
double shot_noise_a(const ReceiverSettings& settings, double signal_power_w);

/// Amplifier noise, rms A: i_n sqrt(B).
double tia_noise_a(const ReceiverSettings& settings);

/// Relative intensity noise in the bandwidth, rms of dP/P: sqrt(RIN B).
double relative_intensity_noise(const ReceiverSettings& settings);

/// What the pair's finite rejection leaves of the local oscillator's intensity noise, rms A:
/// R P_LO sqrt(RIN B) 10^(-CMRR/20).
double lo_intensity_noise_a(const ReceiverSettings& settings);

/// Throws Error, naming the field, for a value that no receiver has (power or bandwidth <= 0, negative noise).
void validate_receiver(const ReceiverSettings& settings);

}  // namespace optinc
