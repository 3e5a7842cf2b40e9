#pragma once

#include "onn/network/network.hpp"
#include "physics/core/enum_names.hpp"

namespace optinc {

/// How carries travel from digit to digit.
enum class Carries {
  ripple,     ///< one digit after the other: M steps in series
  lookahead,  ///< by a parallel prefix over all digits: about 1 + log2 M steps in series, and more of them
};

/// As users write them.
template <>
inline constexpr EnumNames enum_names<Carries> = {"carries", {"ripple", "lookahead"}};

/// How a carry chain is laid out; the defaults are those of its study.
struct CarryChainSettings {
  double step_width = 0.25;  ///< w: a step rises over so much of its sum, whose values are whole numbers
  double step_level = 0.9;  ///< kappa: distance of a step's two levels, sent as -kappa/2 and kappa/2, in digits
  Carries carries = Carries::ripple;
};

/// Throws Error, naming the setting, unless 0 < step_width < 1 and step_level > 0.
void validate_carry_chain(const CarryChainSettings& settings);

/// A network that is right by construction: long addition in base 4 and a division by a power of two, with
/// nothing trained. Digit position m of the sum over N servers is s_m = N a_m; from the least significant on
///
///   t_m = s_m + c_{m+1} (+ the rounding constant),  c_m = floor(t_m / 4),  r_m = t_m - 4 c_m.
///
/// t_m is a sum over few lanes, made by a tree of MZIs; floor(t/4) is the number of thresholds 4, 8, .. that t
/// reaches; each is a step min(max((kappa/w)(t - threshold + 1/2 + w/2), 0), kappa) of one limiting receiver,
/// which regenerates its level, so that noise does not add up along the chain. The total's digits are [c_0,
/// r_0, r_1, ..]; c_0 below N has one digit more where N > 4. A division by 4^k drops k of them; one by 2 4^k
/// takes every digit apart into two bits and puts neighbours together, 2 low(D_j) + high(D_{j+1}).
///
/// Lookahead: digits are first made small without any carry travelling, u_m = s_m - 4 h_m + h_{m+1} with h =
/// floor(s/4), as often as it takes until u <= 6, so that a carry is 0 or 1. A digit then makes a carry by
/// itself, G = [u >= 4], or passes one on, P = [u >= 3], and two runs of digits are one, the less significant
/// one primed (parallel prefix: Kogge and Stone 1973, IEEE Trans. Comput. C-22, 786; Sklansky's tree):
///
///   G = [2 G + P + G' >= 2],   P = [P + P' >= 2],   c_m = G of the run from m to the last digit,
///   r_m = u_m + c_{m+1} - 4 c_m:  1 or 2 steps in series for u, 1 for G and P, ceil(log2 M) for the runs.
///
/// A saturated sum adds 3 to every digit where c_0 > 0, and counts up to 3 again. A majority adds what lifts
/// the least sum that wins to a multiple of 4^M, and asks c_0.
///
/// Half-up rounding adds half the divisor to the total, floor nothing; half-even is refused for a mean (it
/// needs the quotient's parity). Servers are 2, 4, 8 or 16, of other reductions 2 to 16, levels any; a task
/// whose divisor is 1 is never rounded. Throws Error otherwise.
Network carry_chain(const Task& task, const CarryChainSettings& settings = {});

}  // namespace optinc
