#pragma once

#include <cstdint>
#include <span>

#include "physics/random/detail/philox.hpp"

namespace optinc {

// Everything here gives the same bits on every SIMD target: lanes are different counters, sums and products are
// rounded one by one (no fused multiply-add), and logarithm, sine and cosine are polynomials of our own.

/// Fills `out`, of any length, with the words of the Philox blocks at counters `first`, `first` + 1, ..: four
/// words a block. The first two words of a counter are one 64-bit number, low word first.
void philox_words(const PhiloxKey& key, const PhiloxCounter& first, std::span<std::uint32_t> out);

/// Fills `out`, of any length, with standard normals: box_muller of philox_words.
void philox_normals(const PhiloxKey& key, const PhiloxCounter& first, std::span<double> out);
void philox_normals(const PhiloxKey& key, const PhiloxCounter& first, std::span<float> out);

/// Standard normals from pairs of random words (Box and Muller 1958): words a, b at 2k, 2k + 1 give
///
///     u = (a + 1/2) / 2^32,  v = (b + 1/2) / 2^32,  r = sqrt(-2 ln u),
///     out[2k] = r cos(2 pi v),  out[2k + 1] = r sin(2 pi v),    |out| <= sqrt(66 ln 2) = 6.76.
///
/// Relative error at most 6e-16 in double and 4e-7 in float (1e-6 absolute), also where r, the sine or the
/// cosine is small: 1 - u and the angle from the nearest axis are taken from the integers, before anything is
/// rounded. Throws std::invalid_argument unless both spans have the same, even length.
void box_muller(std::span<const std::uint32_t> words, std::span<double> out);
void box_muller(std::span<const std::uint32_t> words, std::span<float> out);

}  // namespace optinc
