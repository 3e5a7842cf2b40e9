#pragma once

#include "onn/margin/margin.hpp"

namespace optinc {

/// Share of a unit's words that are wrong, however rare.
struct RareWords {
  double share = 0.0;
  double error = 0.0;           ///< standard error, of the phases that were drawn and of the words
  double beyond_4_sigma = 0.0;  ///< part of `share` that phases beyond four times their rms make
  std::int64_t samples = 0;     ///< words sent, each with phases of its own
  double counting = 0.0;        ///< variance of a count of as many independent words, over error^2

  /// Whether locks can be trusted that far: their phases are taken as normal, but a lock slips.
  bool quotable() const { return beyond_4_sigma <= 0.5; }
};

/// Of these words, (words, servers), of one chip, in succession. For given phases of the servers' light, levels
/// are Gaussian (received_levels()) and the lanes of a word err independently of each other,
///
///   P(psi) = mean over words of 1 - prod over thresholds (1 - Q(d / rms)).
///
/// The mean of P over phases that locks leave, psi_n ~ N(0, s), is taken by importance sampling: `draws` phases
/// each from N(0, k s), k = 1, 1.6, 2.6 and 4.2, weighted by the locks' density over that of
/// the mixture of all four, which leaves the mean as it is. Ways that words take one after the other (an
/// owner's answers, hops) add up. Agrees with average_codes() within what received_levels() leaves out. Throws
/// Error as Margin(), and where neurons do not decide: what they pass on of noise is not Gaussian, and rare
/// words need counting.
RareWords rare_words(const LitUnit& unit, const Codes& codes, const TransmissionSeed& seed, int draws = 1000);

}  // namespace optinc
