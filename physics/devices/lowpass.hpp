#pragma once

#include <span>
#include <vector>

#include "physics/core/field.hpp"

namespace optinc {

/// Shape of an electrical low-pass: a driver, a modulator, a photodiode with its amplifier.
enum class LowpassShape {
  one_pole,          ///< H = 1/(1 + i f/f_3dB)
  bessel_thomson_4,  ///< fourth order, flat delay: the reference receiver of optical eye measurements
};

/// A low-pass filter with unit response at zero frequency. Its poles p_j and residues r_j carry everything:
/// H(s) = sum_j r_j/(s - p_j), impulse response h(t) = sum_j r_j e^(p_j t) for t >= 0.
struct Lowpass {
  LowpassShape shape = LowpassShape::bessel_thomson_4;
  double bandwidth_hz = 32e9;  ///< where |H|^2 = 1/2
};

/// Transfer function at a frequency, for signals e^(+2 pi i f t): H = 1/(1 + i f/f_3dB) for one pole, 105/(105
/// + 105 y + 45 y^2 + 10 y^3 + y^4), y = 2.1139 i f/f_3dB, for Bessel-Thomson (W. E. Thomson 1949, Proc. IEE
/// 96, 487).
Complex lowpass_response(const Lowpass& filter, double frequency_hz);

/// Noise bandwidth, Hz: integral of |H|^2 over f >= 0, in closed form from the poles. One pole (pi/2) f_3dB =
/// 1.5708 f_3dB, Bessel-Thomson 1.0464 f_3dB.
double noise_bandwidth_hz(const Lowpass& filter);

/// Group delay at zero frequency, s: the mean of h(t), sum_j r_j/p_j^2. One pole 1/(2 pi f_3dB), Bessel-Thomson
/// 2.1139/(2 pi f_3dB), flat over its band.
double lowpass_delay_s(const Lowpass& filter);

/// Impulse response h(k dt), 1/s, `count` values from t = 0.
std::vector<double> impulse_response_per_s(const Lowpass& filter, double step_s, int count);

/// What comes out, at the end of each step, of a signal that is held constant over each step; exact, from rest.
/// out[k] answers held[0..k].
std::vector<double> filter_held(const Lowpass& filter, double step_s, std::span<const double> held);

/// Samples, one symbol apart, of the answer to a single symbol: what each symbol leaves in its neighbours. The
/// sampling instant is the one, of `samples_per_symbol` in each symbol, at which the answer peaks.
struct SymbolResponse {
  double main = 0.0;           ///< h_0: the symbol's own sample
  std::vector<double> before;  ///< h_-1, h_-2, ...: what it leaves in earlier symbols, nearest first
  std::vector<double> after;   ///< h_1, h_2, ...: in later ones
  double delay_s = 0.0;        ///< from the start of the symbol to its own sample
};

/// Response of a filter to a rectangular symbol of duration 1/symbol_rate, followed for `symbols` symbols.
/// Throws Error for fewer than 8 samples per symbol, fewer than 2 symbols, or a rate or bandwidth <= 0.
SymbolResponse symbol_response(const Lowpass& filter, double symbol_rate_bd, int samples_per_symbol = 32,
                               int symbols = 32);

/// Peak distortion D = sum_{k != 0} |h_k| / h_0: the worst that other symbols can do, in units of the own.
double peak_distortion(const SymbolResponse& response);

/// What the worst neighbours leave of each eye of PAM-M, relative to the open one: 1 - (M - 1) D; closed at <=
/// 0.
double pam_eye_opening(double peak_distortion, int levels = 4);

/// Throws Error for a bandwidth <= 0.
void validate_lowpass(const Lowpass& filter);

}  // namespace optinc
