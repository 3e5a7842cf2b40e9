#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "physics/core/enum_names.hpp"

namespace optinc {

/// What becomes of the fraction when the mean of N integer codes is rounded to an integer code.
enum class Rounding {
  half_even,
  half_up,
  floor,
  stochastic,  ///< up with the fraction's probability: the mean of many is unbiased. By integer arithmetic
               ///< alone
};

/// As users write them.
template <>
inline constexpr EnumNames enum_names<Rounding> = {"rounding", {"half-even", "half-up", "floor", "stochastic"}};

/// Where a unit stands: alone, or in a cascade of two levels, N units of N servers each and one above them.
enum class CascadeLevel {
  flat,    ///< Q(mean of N codes)
  first,   ///< the sum of N codes as it is: the floor of their mean, and the rest as one more digit (N = 4)
  second,  ///< Q(sum / N^2) of N such sums: the mean of N^2 servers' codes
};

/// As users write them.
template <>
inline constexpr EnumNames enum_names<CascadeLevel> = {"level", {"flat", "first", "second"}};

/// What a unit makes of N codes. All are functions of their sum, which is all that unit P lets through.
enum class Reduction {
  mean,           ///< Q(mean)
  saturated_sum,  ///< min(sum, 4^M - 1)
  majority,       ///< 4^M - 1 if Q(mean/(4^M - 1)) is 1, else 0: the vote of servers that send 0 or 4^M - 1
};

/// As users write them.
template <>
inline constexpr EnumNames enum_names<Reduction> = {"reduction", {"mean", "saturated-sum", "majority"}};

/// What the outputs of a unit say.
enum class Outputs {
  answer,    ///< the digits of the answer: light does the arithmetic
  sums,      ///< each lane's sum of digits, 0..3N: light adds, and whoever receives them computes with integers
  analogue,  ///< the sum of whole codes, each one of 4^M levels of a single lane: light adds, and receivers
             ///< read the sum as well as their noise and converters let them
};

/// As users write them.
template <>
inline constexpr EnumNames enum_names<Outputs> = {"outputs", {"answer", "sums", "analogue"}};

/// Who adds the servers' codes. Where electronics do, a unit is a link of one modulator, fibre and receiver a
/// lane, and words pass several of them, decided at the end of each (word_hops.hpp).
enum class Adder {
  light,  ///< unit P: the fields of all servers meet
  ring,   ///< servers, one after the other: a word goes round once while it is added, and once as the answer
  hub,    ///< electronics between the servers, an adder chip or a switch that adds: up, added, and down again
};

/// As users write them.
template <>
inline constexpr EnumNames enum_names<Adder> = {"adder", {"light", "ring", "hub"}};

/// The task of one OptINC unit: N servers (or units of the level below) hold a code of M base-4
/// digits (PAM4, most significant first, B = 2M bits); every server receives the digits of Q(mean of the
/// codes), or of another reduction. In a cascade the first level sends the sum of the codes on, M + 1 digits of
/// up to 4 servers. An analogue sum is that of the codes, too: the mean in steps of 1/N.
struct Task {
  int servers = 4;
  int digits = 4;
  Rounding rounding = Rounding::half_even;
  CascadeLevel level = CascadeLevel::flat;
  Reduction reduction = Reduction::mean;
  Outputs outputs = Outputs::answer;
  Adder adder = Adder::light;

  /// Servers whose light meets in unit P: all, or the sender of a link.
  int combined() const { return adder == Adder::light ? servers : 1; }
  /// Bits of a server's code.
  int bits() const { return 2 * digits; }
  /// Whether outputs say sums that whoever receives them computes with, digit by digit or analogue.
  bool sends_sums() const { return outputs != Outputs::answer; }
  /// Bits of a symbol: 2 (PAM4), or all of a code.
  int symbol_bits() const { return outputs == Outputs::analogue ? bits() : 2; }
  /// Largest value of a symbol: 3, or 4^M - 1. Light of full scale carries it, which is digit 3 to receivers.
  int largest_symbol() const { return (1 << symbol_bits()) - 1; }
  /// Symbols of every code that comes in, a lane each: its digits, or 1.
  int input_digits() const;
  /// PAM4 digits of an answer: at the first level of a cascade and behind an analogue sum, which answer the sum
  /// of the codes, extra_digits() more than a code has.
  int answer_digits() const;
  /// Outputs of the unit: the answer's digits, or a sum for each that comes in.
  int output_digits() const { return sends_sums() ? input_digits() : answer_digits(); }
  /// Distance of neighbouring levels of an output, in digits: 1, or that of neighbouring sums, 1/N of a
  /// symbol's.
  double level_spacing() const { return sends_sums() ? 3.0 / (largest_symbol() * servers) : 1.0; }
  /// What 1 in an answer is worth in codes: 1, or 1/N behind an analogue sum.
  double answer_step() const { return outputs == Outputs::analogue ? 1.0 / servers : 1.0; }
  /// Number of codes that may come out, 4^(answer digits).
  std::uint64_t codes() const { return std::uint64_t{1} << (2 * answer_digits()); }
  /// What the sum of the codes is divided by before it is rounded.
  std::uint64_t divisor() const;
  /// Number of values a symbol's sum over the servers takes, 3N + 1 of digits.
  int sums() const { return largest_symbol() * servers + 1; }
  /// Number of distinct input words of the network behind unit P, sums()^(input digits).
  std::uint64_t words() const;

  bool operator==(const Task&) const = default;
};

/// Digits by which the sum of `codes` codes is longer than one of them: ceil(log4 codes).
int extra_digits(int codes);

/// Throws Error unless 1 <= servers <= 64, or 256 where electronics add, codes that come in and go out have 1
/// to 16 digits (32 bits), 8 of an analogue sum, and the number of words (3N+1)^M fits 63 bits: 32 bits for up
/// to 4 servers, 26 for 8, 22 for 16. In a cascade reduction mean and light that adds; outputs that say answers
/// of at most 4 servers, for the sum of their codes to have one digit more, or sums of digits of at most 16.
/// Rounding is stochastic where electronics round: outputs say sums, or they add.
void validate_task(const Task& task);

/// Q(total / divisor) for the sum `total` of codes: exact integer arithmetic.
/// Stochastic: up where draw, uniform in [0, 1), is below the fraction.
std::uint32_t rounded_mean(std::uint64_t total, std::uint64_t divisor, Rounding rounding, double draw = 0.5);

/// The task's answer to the sum `total` of codes; `draw` as rounded_mean().
std::uint32_t exact_answer(const Task& task, std::uint64_t total, double draw = 0.5);

/// Symbols of word `index` of the enumeration: the sums s_m = sum_n d_nm in 0..3N, most significant first.
std::vector<int> word_sums(const Task& task, std::uint64_t index);

/// Sum of the servers' codes from the digit sums: sum_m 4^(M-1-m) s_m (unit P loses nothing the mean needs).
std::uint64_t code_total(std::span<const int> sums);

/// Average that a lane of light carries for the sum `sum` of its symbols, in digits: sum / N, or 3 sum /
/// (N (4^M - 1)) where a symbol is a whole code.
double average_of_sum(const Task& task, std::int64_t sum);

/// Symbol `lane` of a code that comes in, 0 the most significant: one of its digits, or all of it.
std::uint32_t symbol_of(const Task& task, std::uint32_t code, int lane);

/// The M base-4 digits of a code, most significant first.
std::vector<int> code_digits(std::uint32_t code, int digits);

}  // namespace optinc
