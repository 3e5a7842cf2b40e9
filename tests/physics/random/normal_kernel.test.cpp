// The SIMD kernel behind normals: Random123's words, textbook Box-Muller, and the same bits on every target.

#include "physics/random/detail/normal_kernel.hpp"

#include <bit>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <vector>

#include <Random123/philox.h>

#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/simd.hpp"

using namespace optinc;
using namespace optinc::testing;

namespace {

using Words = std::vector<std::uint32_t>;

constexpr PhiloxKey key = {0xa4093822, 0x299f31d0};
// the position's low word turns over within a fill, a high word that is not zero, and plain ones
constexpr PhiloxCounter counters[] = {{0, 0, 3, 4},
                                      {0xffffffffu - 20, 0, 11, 7},
                                      {0xffffffffu, 0xffffffffu, 0xffffffffu, 0xffffffffu},
                                      {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}};

/// Words as Random123 gives them, block by block.
Words random123_words(PhiloxCounter counter, std::size_t count) {
  Words words;
  while (words.size() < count) {
    const auto block =
        r123::Philox4x32{}({{counter[0], counter[1], counter[2], counter[3]}}, {{key[0], key[1]}});
    for (const std::uint32_t word : block)
      if (words.size() < count) words.push_back(word);
    if (++counter[0] == 0) ++counter[1];
  }
  return words;
}

/// Box-Muller in long double. The angle is reduced to the nearest quarter turn first, which is exact: plain
/// cos(2 pi v) is wrong in all digits where it is small.
std::pair<long double, long double> box_muller_of(std::uint32_t a, std::uint32_t b) {
  const long double u = (a + 0.5L) * 0x1p-32L, v = (b + 0.5L) * 0x1p-32L;
  const long double quarters = std::round(4 * v);
  const long double angle = 2 * std::numbers::pi_v<long double> * (v - quarters / 4);
  const long double radius = std::sqrt(-2 * std::log(u));
  const long double c = radius * std::cos(angle), s = radius * std::sin(angle);
  switch (static_cast<int>(quarters) % 4) {
    case 0:
      return {c, s};
    case 1:
      return {-s, c};
    case 2:
      return {-c, -s};
    default:
      return {s, -c};
  }
}

/// Pairs of all words that stand at a border: ends of the range, powers of two from both ends (exponent of u),
/// sixteenths of the range (quadrants and octants of the angle), and their neighbours.
Words border_pairs() {
  Words borders;
  for (std::uint32_t near = 0; near < 5; ++near) {
    for (unsigned bit = 0; bit < 32; ++bit) {
      const std::uint32_t power = (std::uint32_t{1} << bit) + near - 2;
      borders.insert(borders.end(), {power, ~power});
    }
    for (std::uint32_t k = 0; k < 16; ++k) borders.push_back((k << 28) + near - 2);
  }
  Words pairs;
  for (const auto a : borders)
    for (const auto b : borders) pairs.insert(pairs.end(), {a, b});
  return pairs;
}

Words random_pairs(std::size_t count) {
  Stream s = test_stream(1);
  Words words(2 * count);
  for (auto& word : words) word = s.bits();
  return words;
}

template <class Real>
std::vector<Real> normals_of(const Words& words) {
  std::vector<Real> out(words.size());
  box_muller(words, out);
  return out;
}

/// Largest relative and absolute error of the kernel's normals against box_muller_of.
template <class Real>
std::pair<double, double> largest_errors(const Words& words) {
  const auto got = normals_of<Real>(words);
  double relative = 0, absolute = 0;
  for (std::size_t k = 0; k < words.size(); k += 2) {
    const auto [c, s] = box_muller_of(words[k], words[k + 1]);
    for (const auto& [x, exact] : {std::pair(got[k], c), std::pair(got[k + 1], s)}) {
      const auto error = static_cast<double>(std::abs(static_cast<long double>(x) - exact));
      if (!(error < 1)) FAIL("words " << words[k] << ", " << words[k + 1] << ": " << x);  // also NaN
      relative = std::max(relative, error / static_cast<double>(std::abs(exact)));
      absolute = std::max(absolute, error);
    }
  }
  return {relative, absolute};
}

template <class T>
bool same_bits(T a, T b) {
  if constexpr (sizeof(T) == 8)
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  else
    return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

template <class T>
bool same_bits(std::span<const T> a, std::span<const T> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](T x, T y) { return same_bits(x, y); });
}

/// Fills of every length 0..200 at several alignments are the first values of `expected`, and nothing is
/// written around them.
template <class T, class Fill>
void require_every_length(const std::vector<T>& expected, Fill fill) {
  constexpr std::size_t longest = 200, margin = 40;
  const T untouched = 77;
  for (std::size_t offset = 0; offset < 9; ++offset)
    for (std::size_t length = 0; length <= longest; ++length) {
      std::vector<T> buffer(longest + 2 * margin, untouched);
      const auto out = std::span(buffer).subspan(margin + offset, length);
      fill(out);
      CAPTURE(offset, length);
      REQUIRE(same_bits(std::span<const T>(out), std::span(expected).first(length)));
      for (std::size_t k = 0; k < buffer.size(); ++k)
        if ((k < margin + offset || k >= margin + offset + length) && buffer[k] != untouched)
          FAIL("wrote outside at " << static_cast<long>(k) - static_cast<long>(margin + offset));
    }
}

}  // namespace

// fails when a product's high half is taken of garbage, the carry is missed, or lanes come out of order
TEST_CASE("kernel: Philox gives Random123's words on every target, any length and alignment") {
  on_every_target([] {
    for (const auto& first : counters) {
      CAPTURE(first);
      const Words expected = random123_words(first, 1000);
      Words got(expected.size());
      philox_words(key, first, got);
      REQUIRE(got == expected);
      require_every_length<std::uint32_t>(expected, [&](auto out) { philox_words(key, first, out); });
    }
  });
}

// 1.2e6 pairs of random words and 160,000 of borders, in every SIMD target. Fails when sine and cosine change
// places, 1 - u is rounded before it is small (float), a coefficient is cut, or ln 2 is a float in double.
// Absolute bound in float: half an ulp of 4..8 is 2.4e-7
TEST_CASE("kernel: normals are Box-Muller to 6e-16 in double and 4e-7 in float, at borders too") {
  const Words borders = border_pairs(), random = random_pairs(1200000);
  CHECK(borders.size() > 100000);
  on_every_target([&] {
    for (const Words* words : {&borders, &random}) {
      const auto [relative, absolute] = largest_errors<double>(*words);
      const auto [relative_float, absolute_float] = largest_errors<float>(*words);
      CHECK(relative < 6e-16);
      CHECK(absolute < 2.5e-15);
      CHECK(relative_float < 4e-7);
      CHECK(absolute_float < 1e-6);
    }
  });
}

// Nothing of this test's own reduction: plain libm, which has 6 2^-52 of error in the angle alone
TEST_CASE("kernel: normals are the plain formula to 1e-14") {
  const Words words = random_pairs(1200000);
  const auto got = normals_of<double>(words);
  double error = 0;
  for (std::size_t k = 0; k < words.size(); k += 2) {
    const double radius = std::sqrt(-2 * std::log((words[k] + 0.5) * 0x1p-32));
    const double angle = 2 * std::numbers::pi * ((words[k + 1] + 0.5) * 0x1p-32);
    error = std::max(
        {error, std::abs(got[k] - radius * std::cos(angle)), std::abs(got[k + 1] - radius * std::sin(angle))});
  }
  CHECK(error < 1e-14);
}

TEST_CASE("kernel: the largest normal is sqrt(66 ln 2), the smallest not zero") {
  const double largest = std::sqrt(66 * std::numbers::ln2);  // u = 2^-33, angle nearly 0: 6.7637
  CHECK(normals_of<double>({0, 0})[0] == Approx(largest).epsilon(1e-15));
  CHECK(normals_of<float>({0, 0})[0] == Approx(largest).epsilon(2e-7));
  // u = 1 - 2^-33, sine of half a step of the angle: 2^-16 pi 2^-32
  const double smallest = std::numbers::pi * 0x1p-48;
  CHECK(normals_of<double>({0xffffffff, 0})[1] == Approx(smallest).epsilon(1e-9));
  CHECK(normals_of<float>({0xffffffff, 0})[1] == Approx(smallest).epsilon(3e-7));
}

// Results must not depend on the processor. Fails when one Mul and Add becomes a MulAdd, which some targets
// fuse, or when the build lets the compiler fuse them
TEMPLATE_TEST_CASE("kernel: the same bits on every target, by pair, by block and by any length", "", double,
                   float) {
  use_simd_target(simd_targets().back());  // the plainest
  const Words borders = border_pairs(), random = random_pairs(100000);
  const auto from_borders = normals_of<TestType>(borders), from_random = normals_of<TestType>(random);
  std::vector<std::vector<TestType>> from_counters;
  for (const auto& first : counters)
    from_counters.push_back(normals_of<TestType>(random123_words(first, 4000)));
  std::size_t targets = 0;
  on_every_target([&] {
    ++targets;
    REQUIRE(same_bits<TestType>(normals_of<TestType>(borders), from_borders));
    REQUIRE(same_bits<TestType>(normals_of<TestType>(random), from_random));
    for (std::size_t k = 0; k < 2000; k += 2) {  // one pair alone, as Stream::normal draws it
      std::array<TestType, 2> pair;
      box_muller(std::span(random).subspan(k, 2), pair);
      REQUIRE(same_bits<TestType>(pair, std::span(from_random).subspan(k, 2)));
    }
    for (std::size_t c = 0; c < std::size(counters); ++c) {
      std::vector<TestType> got(from_counters[c].size());
      philox_normals(key, counters[c], got);
      REQUIRE(same_bits<TestType>(got, from_counters[c]));
      require_every_length<TestType>(from_counters[c],
                                     [&](auto out) { philox_normals(key, counters[c], out); });
    }
    for (std::size_t length = 0; length <= 200; length += 2) {
      std::vector<TestType> got(length);
      box_muller(std::span(random).first(length), got);
      REQUIRE(same_bits<TestType>(got, std::span(from_random).first(length)));
    }
  });
  CHECK(targets == simd_targets().size());
}

TEST_CASE("kernel: words and normals of unlike or odd lengths are refused") {
  const Words words(6);
  std::vector<double> out(6);
  std::vector<float> out_float(6);
  CHECK_THROWS_AS(box_muller(std::span(words).first(4), out), std::invalid_argument);
  CHECK_THROWS_AS(box_muller(std::span(words).first(5), std::span(out).first(5)), std::invalid_argument);
  CHECK_THROWS_AS(box_muller(std::span(words).first(4), out_float), std::invalid_argument);
  CHECK_THROWS_AS(box_muller(std::span(words).first(5), std::span(out_float).first(5)), std::invalid_argument);
}
