#pragma once

#include <limits>

#include "onn/link/transmission.hpp"

namespace optinc {

/// The last receiver of the chain, a server's own: what its noise alone does to the digits. Other receivers'
/// noise, lock errors and the light in the quadrature a homodyne receiver does not see are left out of all of
/// these.

/// Where a digit of the answer (0 the most significant) leaves the chip.
struct ServerOutput {
  std::size_t layer = 0;
  Eigen::Index row = 0;
};
ServerOutput server_output(const ChipDesign& design, Eigen::Index digit);

/// Field on a server's receiver of an output of value 1 (bias aside), sqrt(W), real part.
double readout_field_per_unit_sqrt_w(const LitUnit& unit, Eigen::Index digit = 0);

/// Signal power on every layer's receivers at its largest output, W, (layers): digit 3 without bias where the
/// servers receive it, NaN where no receiver stands.
std::vector<double> receiver_powers_w(const LitUnit& unit);

/// Largest current that the values of every layer make at its receivers by the design's mean loss, A, (layers):
/// of neurons that of the largest output above its bias, of servers that of digits 0 to 3; NaN where no
/// receiver stands.
std::vector<double> receiver_currents_a(const ChipDesign& design, const ErrorModel& model,
                                        const UnitHardware& hardware);

/// The digit of the answer with the least signal power at a server (0 the most significant), and that power of
/// digit 3, W.
struct WeakestDigit {
  Eigen::Index digit = 0;
  double power_w = 0.0;
};
WeakestDigit weakest_digit(const LitUnit& unit);

/// Noise of output `digit`'s receiver as a function of what its light carries, v = y - bias, all in digits:
/// white noise of variance  white + shot v^2 (the converter's in `white`),  and the seed's intensity noise, one
/// normal z for all digits of a word, as  z (intensity v + leak). Its amplifier cuts the sum at  v = +-most.
struct ReadoutNoise {
  double bias = 0.0;
  double white = 0.0;      ///< digits^2
  double shot = 0.0;       ///< digits^2 per digits^2
  double intensity = 0.0;  ///< rms of dI/I
  double leak = 0.0;       ///< digits; the oscillator's, its sign that of the stronger diode of the pair

  /// What receiver.overload_a lets pass, digits; infinite where it sets no limit.
  double most = std::numeric_limits<double>::infinity();

  /// Of an output at value `y`, digits^2, over receiver and seed.
  double variance(double y) const;
  /// What the amplifier passes on of `y`.
  double passed(double y) const;
};

/// That of output `digit` (0 the most significant) on this chip; without noise where `noise` switches it off.
ReadoutNoise readout_noise(const LitUnit& unit, Eigen::Index digit);

/// rms noise of output `digit` (0 the most significant) at value `y`, in digits: shot and amplifier noise, and
/// the seed's intensity noise on signal and leaked oscillator, as transmit() draws them. The bias is a
/// threshold, so that the signal is y less the bias.
double readout_rms(const LitUnit& unit, Eigen::Index digit, double y);

/// Symbol error rate of PAM4 by its formula: four equally likely levels 0, 1, 2, 3 exactly, thresholds half
/// way, every level with its own noise; the mean over the M outputs. (3/2) Q(1/(2 sigma)) where all sigma are
/// equal. Of digit sums, the same with 3N + 1 levels, 1/N apart.
double pam4_error_rate(const LitUnit& unit);

/// The same at the levels that the chain really has: mean over outputs `y` (M, words), as received without
/// noise, of the probability that noise carries one beyond the thresholds of its digit `d` (M, words).
double readout_error_rate(const LitUnit& unit, const Eigen::Ref<const Eigen::MatrixXd>& y,
                          const Eigen::Ref<const Eigen::MatrixXd>& d);

}  // namespace optinc
