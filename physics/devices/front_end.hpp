#pragma once

#include <string>
#include <variant>
#include <vector>

#include "physics/core/warning.hpp"

namespace optinc {

/// Noise of an amplifier as its maker states it, referred to its input: the resistor in it is counted.
struct InputReferredNoise {
  double a_per_rthz = 16.9e-12;  ///< (10-25 pA/rtHz)
};

/// Noise of a bare resistor, 4 k T/R.
struct LoadResistor {
  double resistance_ohm = 50.0;
  double temperature_k = 300.0;
};

/// One or the other: an amplifier's input-referred noise holds its resistor, and both would count it twice.
using FrontEndNoise = std::variant<InputReferredNoise, LoadResistor>;

/// What follows the photodiode: a transimpedance amplifier, or a resistor. Defaults: Patel et al.,
/// IEEE J. Solid-State Circuits (2022), doi 10.1109/JSSC.2022.3218558.
struct FrontEnd {
  FrontEndNoise noise = InputReferredNoise{};
  double bandwidth_hz = 32e9;            ///< 3 dB, of a Bessel-Thomson filter of fourth order (20-60 GHz)
  double transimpedance_ohm = 1.4125e3;  ///< volts per ampere; 63 dBohm
  double supply_power_w = 47e-3;         ///< electrical; 0 where not stated
};

/// Throws Error, naming the field, for a bandwidth, resistance, temperature or transimpedance <= 0 or noise or
/// supply < 0.
void validate_front_end(const FrontEnd& front_end);

/// Legal but implausible values, one sentence each: input noise outside 1-100 pA/rtHz, bandwidth over 150 GHz.
std::vector<Warning> front_end_warnings(const FrontEnd& front_end);

/// Noise density at the input, A/rtHz: i_n, or sqrt(4 k T/R).
double input_noise_a_per_rthz(const FrontEnd& front_end);

/// Bandwidth in which white noise is counted, Hz: 1.0464 times the 3 dB bandwidth (noise_bandwidth_hz of a
/// Bessel-Thomson filter).
double noise_bandwidth_hz(const FrontEnd& front_end);
/// The same over the 3 dB bandwidth, 1.0464.
double noise_bandwidth_ratio();

/// Noise at the input, rms A: density x sqrt(B), B the noise bandwidth.
double input_noise_a(const FrontEnd& front_end);

/// 112 Gb/s PAM4 amplifier in 16 nm CMOS: 16.9 pA/rtHz, 32 GHz, 63 dBohm, 47 mW; with its photodiode a measured
/// sensitivity of -8.2 dBm at a symbol error rate of 4.8e-4 (D. Patel, A. Sharif-Bakhtiar, A. Chan Carusone
/// 2022, IEEE J. Solid-State Circuits, doi 10.1109/JSSC.2022.3218558, abstract).
FrontEnd patel_2022_receiver();

}  // namespace optinc
