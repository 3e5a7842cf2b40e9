#pragma once

#include <span>
#include <vector>

namespace optinc {

/// One level of a received constellation: its mean and the rms of its Gaussian noise, both in the same unit.
struct NoisyLevel {
  double mean = 0.0;
  double rms = 0.0;
};

/// Tail of the normal distribution, Q(x) = erfc(x/sqrt 2)/2.
double normal_tail(double x);

/// Symbol error rate of M equally likely, equally spaced levels in equal noise: 2 (1 - 1/M) Q(q), with q half a
/// spacing over the rms. PAM4: (3/2) Q(q).
double pam_symbol_error_rate(int levels, double q);

/// The q at which that rate is reached. Throws Error unless 0 < rate < 1 - 1/M.
double pam_q_of_symbol_error_rate(int levels, double symbol_error_rate);

/// Bit error rate of Gray-coded levels when errors go to neighbours alone: SER/log2 M.
double gray_bit_error_rate(int levels, double symbol_error_rate);

/// Thresholds at equal distance in rms from both neighbours, t_i = (s_{i+1} m_i + s_i m_{i+1})/(s_i + s_{i+1}):
/// the receiver designer's rule, within a hair of the best. Throws Error unless there are 2 levels, ascending,
/// with rms > 0.
std::vector<double> equal_q_thresholds(std::span<const NoisyLevel> levels);

/// Symbol error rate of equally likely levels between any thresholds (ascending, one fewer than levels): the
/// normal tails of each level beyond its own two thresholds, averaged.
double symbol_error_rate(std::span<const NoisyLevel> levels, std::span<const double> thresholds);

/// The same at equal-Q thresholds, (1/M) sum_i erfc(q_i/sqrt 2), q_i = (m_{i+1} - m_i)/(s_i + s_{i+1}).
double symbol_error_rate(std::span<const NoisyLevel> levels);

/// Digit whose interval holds the value: the number of thresholds at or below it.
int pam_decision(std::span<const double> thresholds, double value);

/// Outer optical modulation amplitude P_{M-1} - P_0 that a receiver of constant noise needs, W: 2 (M - 1) q
/// i/R. For PAM4 6 q i/R.
double sensitivity_oma_w(int levels, double symbol_error_rate, double noise_a, double responsivity_a_per_w);

}  // namespace optinc
