#pragma once

#include <span>
#include <vector>

#include "physics/core/field.hpp"
#include "physics/core/tangent.hpp"

namespace optinc {

/// Shape of an electrical low-pass: a driver, a modulator, a photodiode with its amplifier.
enum class LowpassShape {
  one_pole,          ///< H = 1/(1 + i f/f_3dB)
  bessel_thomson_4,  ///< fourth order, flat delay: the reference receiver of optical eye measurements
};

/// A low-pass filter with unit response at zero frequency. Its poles p_j and residues r_j carry everything:
/// H(s) = sum_j r_j/(s - p_j), impulse response h(t) = sum_j r_j e^(p_j t) for t >= 0.
/// Real: double, or a number with derivatives.
template <class Real>
struct LowpassOf {
  LowpassShape shape = LowpassShape::bessel_thomson_4;
  Real bandwidth_hz = 32e9;  ///< where |H|^2 = 1/2
};
using Lowpass = LowpassOf<double>;

/// Derivatives of a clocked channel: in the bandwidth of its receiver, the symbol rate and the sampling
/// instant.
using ChannelTangent = Tangent<double, 3>;

/// Transfer function at a frequency, for signals e^(+2 pi i f t): H = 1/(1 + i f/f_3dB) for one pole, 105/(105
/// + 105 y + 45 y^2 + 10 y^3 + y^4), y = 2.1139 i f/f_3dB, for Bessel-Thomson (W. E. Thomson 1949, Proc. IEE
/// 96, 487).
///
/// A cascade passes a signal through its filters in turn, so its H is the product of theirs. Its poles are
/// those of all filters; the residue of pole p_j of one filter is r_j prod H_other(p_j) (partial fractions).
/// This needs distinct poles: every function of a cascade throws Error for two filters of one shape whose
/// bandwidths differ by less than 0.01 %, for a cascade without filters, and for a bandwidth <= 0.
/// Nearly equal bandwidths cost digits: at 0.01 %, H keeps ten for two filters and six for three.
Complex lowpass_response(std::span<const Lowpass> cascade, double frequency_hz);

/// Noise bandwidth, Hz: integral of |H|^2 over f >= 0, in closed form from the poles. One pole (pi/2) f_3dB =
/// 1.5708 f_3dB, Bessel-Thomson 1.0464 f_3dB.
double noise_bandwidth_hz(std::span<const Lowpass> cascade);

/// Group delay at zero frequency, s: the mean of h(t), sum_j r_j/p_j^2. One pole 1/(2 pi f_3dB), Bessel-Thomson
/// 2.1139/(2 pi f_3dB), flat over its band. Delays of a cascade add up.
double lowpass_delay_s(std::span<const Lowpass> cascade);

/// Impulse response h(k dt), 1/s, `count` values from t = 0.
std::vector<double> impulse_response_per_s(std::span<const Lowpass> cascade, double step_s, int count);

/// Step response S(t), the integral of h to t, at these instants; its first derivative, h(t), 1/s, its second,
/// 1/s^2, or, `derivative` = -1, its integral from 0 to t, s. 0 before t = 0.
template <class Real>
std::vector<Real> step_response(std::span<const LowpassOf<Real>> cascade, std::span<const Real> times_s,
                                int derivative = 0);
inline std::vector<double> step_response(std::span<const Lowpass> cascade, std::span<const double> times_s,
                                         int derivative = 0) {
  return step_response<double>(cascade, times_s, derivative);
}

/// Correlation of white noise behind the cascade with itself `lag_s` later: integral of h(t) h(t + lag) over
/// that of h(t)^2, in closed form from the poles. One pole e^(-2 pi f_3dB lag).
template <class Real>
Real noise_correlation(std::span<const LowpassOf<Real>> cascade, Real lag_s);
inline double noise_correlation(std::span<const Lowpass> cascade, double lag_s) {
  return noise_correlation<double>(cascade, lag_s);
}

/// The same of means over `window_s` that begin `lag_s` apart, over the variance of noise that is not averaged:
/// integral of (1 - |u|/w) r(lag + u) du / w over |u| < w, r the correlation above.
template <class Real>
Real averaged_noise_correlation(std::span<const LowpassOf<Real>> cascade, Real lag_s, Real window_s);
inline double averaged_noise_correlation(std::span<const Lowpass> cascade, double lag_s, double window_s) {
  return averaged_noise_correlation<double>(cascade, lag_s, window_s);
}

/// What comes out, at the end of each step, of signals (signals, steps) that are held constant over each step;
/// exact, from rest. out(i, k) answers held(i, 0 .. k + early); the last `early` steps, whose answers would
/// need more, are 0. Signals `at_last`, as many or none, enter in front of the last filter alone. Real: double
/// or float.
template <class Real>
typename FieldBatchOf<Real>::Plane filter_held(std::span<const Lowpass> cascade, double step_s,
                                               const typename FieldBatchOf<Real>::Plane& held,
                                               const typename FieldBatchOf<Real>::Plane& at_last = {},
                                               Eigen::Index early = 0);

/// The same of one signal.
std::vector<double> filter_held(std::span<const Lowpass> cascade, double step_s, std::span<const double> held);

/// Samples, one symbol apart, of the answer to a single symbol: what each symbol leaves in its neighbours.
struct SymbolResponse {
  double main = 0.0;           ///< h_0: the symbol's own sample
  std::vector<double> before;  ///< h_-1, h_-2, ...: what it leaves in earlier symbols, nearest first
  std::vector<double> after;   ///< h_1, h_2, ...: in later ones
  double delay_s = 0.0;        ///< from the start of the symbol to its own sample
};

/// Response of a cascade to a rectangular symbol of duration T = 1/symbol_rate, followed for `symbols` symbols:
/// S(t) - S(t - T), with the step response S(t) = sum_j (r_j/p_j)(e^(p_j t) - 1). The sampling instant is that
/// of least peak distortion: the best of `samples_per_symbol` instants in a symbol, refined continuously
/// (Brent). Throws Error for fewer than 8 samples per symbol, fewer than 2 symbols, or a rate <= 0.
SymbolResponse symbol_response(std::span<const Lowpass> cascade, double symbol_rate_bd,
                               int samples_per_symbol = 32, int symbols = 32);

/// Peak distortion D = sum_{k != 0} |h_k| / h_0: the worst that other symbols can do, in units of the own
/// (R. W. Lucky 1965, Bell Syst. Tech. J. 44, 547).
double peak_distortion(const SymbolResponse& response);

/// What the worst neighbours leave of each eye of PAM-M, relative to the open one: 1 - (M - 1) D; closed at <=
/// 0.
double pam_eye_opening(double peak_distortion, int levels = 4);

/// Highest symbol rate R, Bd, at which the worst neighbours leave the share `eye_opening` of each eye of
/// PAM-`levels` behind a cascade, such as the modulator and the receiver of one stage:
///     1 - (levels - 1) D(R) = eye_opening,   D = peak_distortion(symbol_response(cascade, R))
/// One pole: R = 2 pi f_3dB / ln(1 + 1/D). A receiver of 32 GHz (Bessel-Thomson) behind a modulator of 40 GHz
/// (one pole) reaches half of the eye of 13 levels at 45.8 GBd.
///
/// For a chip of several such stages this is an UPPER bound: stages without a clock hand their interference on
/// to the next, and noise, jitter and skew are left out. Equalisers are left out too, and can exceed it.
/// Throws Error unless levels >= 2, 0 <= eye_opening < 1, and (1 - eye_opening)/(levels - 1) >= 0.001: below
/// that, the overshoot of a filter makes D fall and rise again with the rate, so that the limit is ambiguous.
double symbol_rate_limit_bd(std::span<const Lowpass> cascade, int levels, double eye_opening = 0.5);

/// A single filter is a cascade of one.
inline Complex lowpass_response(const Lowpass& filter, double frequency_hz) {
  return lowpass_response(std::span(&filter, 1), frequency_hz);
}
/// Noise bandwidth of a single filter, Hz.
inline double noise_bandwidth_hz(const Lowpass& filter) { return noise_bandwidth_hz(std::span(&filter, 1)); }
/// Group delay of a single filter at zero frequency, s.
inline double lowpass_delay_s(const Lowpass& filter) { return lowpass_delay_s(std::span(&filter, 1)); }
/// Impulse response of a single filter, 1/s.
inline std::vector<double> impulse_response_per_s(const Lowpass& filter, double step_s, int count) {
  return impulse_response_per_s(std::span(&filter, 1), step_s, count);
}
/// What a single filter makes of a held signal.
inline std::vector<double> filter_held(const Lowpass& filter, double step_s, std::span<const double> held) {
  return filter_held(std::span(&filter, 1), step_s, held);
}
/// Response of a single filter to a rectangular symbol.
inline SymbolResponse symbol_response(const Lowpass& filter, double symbol_rate_bd, int samples_per_symbol = 32,
                                      int symbols = 32) {
  return symbol_response(std::span(&filter, 1), symbol_rate_bd, samples_per_symbol, symbols);
}

}  // namespace optinc
