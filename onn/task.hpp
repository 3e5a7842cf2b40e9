#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace optinc {

/// What becomes of the fraction when the mean of N integer codes is rounded to an integer code.
enum class Rounding { half_even, half_up, floor };

/// "half-even", "half-up", "floor".
std::string_view rounding_name(Rounding rounding);
std::span<const std::string_view> rounding_names();
/// Throws Error, naming the nearest, for an unknown name.
Rounding rounding_of_name(std::string_view name);

/// The averaging task of one OptINC unit: N servers hold a code of M base-4 digits (PAM4, most significant
/// first, B = 2M bits); every server receives the digits of Q(mean of the codes).
struct Task {
  int servers = 4;
  int digits = 4;
  Rounding rounding = Rounding::half_even;

  int bits() const { return 2 * digits; }
  /// Number of codes, 4^M.
  std::uint32_t codes() const { return std::uint32_t{1} << (2 * digits); }
  /// Number of values a digit's sum over the servers takes, 3N + 1.
  int sums() const { return 3 * servers + 1; }
  /// Number of distinct input words of the network behind unit P, (3N+1)^M.
  std::uint64_t words() const;
};

/// Throws Error unless 1 <= servers <= 64, 1 <= digits <= 8 and (3N+1)^M fits 63 bits.
void validate_task(const Task& task);

/// Q(total / servers) for the sum `total` of the servers' codes: exact integer arithmetic.
std::uint32_t rounded_mean(std::uint64_t total, int servers, Rounding rounding);

/// Digits of word `index` of the enumeration: the sums s_m = sum_n d_nm in 0..3N, most significant first.
std::vector<int> word_sums(const Task& task, std::uint64_t index);

/// Sum of the servers' codes from the digit sums: sum_m 4^(M-1-m) s_m (unit P loses nothing the mean needs).
std::uint64_t code_total(std::span<const int> sums);

/// The M base-4 digits of a code, most significant first.
std::vector<int> code_digits(std::uint32_t code, int digits);

}  // namespace optinc
