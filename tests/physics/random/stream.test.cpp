// The random numbers: the published generator, the keying on top of it, and moments.

#include "physics/random/stream.hpp"

#include <set>
#include <vector>

#include "physics/random/haar.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"

using namespace optinc;
using namespace optinc::testing;

namespace {

using Block = std::array<std::uint32_t, 4>;

/// Philox4x32-10, typed from Salmon et al. 2011 (no code of Random123).
Block philox4x32_10(Block c, std::array<std::uint32_t, 2> k) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53} * c[0], p1 = std::uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<std::uint32_t>(p1 >> 32) ^ c[1] ^ k[0], static_cast<std::uint32_t>(p1),
         static_cast<std::uint32_t>(p0 >> 32) ^ c[3] ^ k[1], static_cast<std::uint32_t>(p0)};
    k[0] += 0x9E3779B9;
    k[1] += 0xBB67AE85;
  }
  return c;
}

std::vector<std::uint32_t> first_bits(Stream s, std::size_t count) {
  std::vector<std::uint32_t> v(count);
  for (auto& x : v) x = s.bits();
  return v;
}

}  // namespace

// vectors of the Random123 distribution (kat_vectors, philox4x32 10)
TEST_CASE("Philox: the generator typed here gives the known answers") {
  CHECK(philox4x32_10({0, 0, 0, 0}, {0, 0}) == Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox4x32_10({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}) ==
        Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox4x32_10({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

// Results are reproducible as long as this holds. Fails when two of chip, trial and part change places in the
// counter, when the seed's high half is dropped, or when a round is missing
TEST_CASE("Stream: Philox keyed by the image of (seed, purpose), counted by (position, part, trial, chip)") {
  for (const std::uint64_t seed : {std::uint64_t{1}, std::uint64_t{0x123456789abcdef0}}) {
    const std::uint32_t chip = 7, trial = 11, part = 13;
    const auto purpose = Purpose::phase_noise;  // 4
    const Block key =
        philox4x32_10({static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32), 4, 0},
                      {0x4f707449, 0x4e433031});
    std::vector<std::uint32_t> expected;
    for (std::uint32_t position = 0; position < 3; ++position)
      for (const auto word : philox4x32_10({position, part, trial, chip}, {key[0], key[1]}))
        expected.push_back(word);
    CAPTURE(seed);
    CHECK(first_bits(Stream(seed, purpose, chip, trial, part), expected.size()) == expected);
  }
}

// fails when purpose, chip, trial or part is left out of key or counter
TEST_CASE(
    "Stream: other seed, purpose, chip, trial or part, other numbers, and the same address, the same numbers") {
  std::set<std::vector<std::uint32_t>> seen;
  std::size_t streams = 0;
  const auto add = [&](const Stream& s) {
    seen.insert(first_bits(s, 4));
    ++streams;
  };
  for (std::uint64_t seed = 1; seed <= 3; ++seed)
    for (const Purpose purpose : {Purpose::splitter_error, Purpose::phase_noise, Purpose::test})
      for (std::uint32_t chip = 0; chip < 3; ++chip)
        for (std::uint32_t trial = 0; trial < 3; ++trial)
          for (std::uint32_t part = 0; part < 3; ++part) add(Stream(seed, purpose, chip, trial, part));
  add(Stream(std::uint64_t{1} << 32, Purpose::test));
  CHECK(seen.size() == streams);
  CHECK(first_bits(Stream(9, Purpose::words, 2, 3), 100) == first_bits(Stream(9, Purpose::words, 2, 3), 100));
}

// A script of draws of every kind, against one-by-one draws of a second stream that is never filled in bulk.
// Fails when a fill from the middle of a block skips or repeats words, a spare is lost across bits(), or the
// kernel's normals are not those of single draws
TEST_CASE("Stream: fills are the single draws wherever the stream stands") {
  Stream script = test_stream(9);
  Stream bulk = test_stream(10), floats = test_stream(10), single = test_stream(10);
  for (int step = 0; step < 3000; ++step) {
    CAPTURE(step);
    const std::uint32_t kind = script.below(5);
    if (kind == 0) {
      const auto bits = single.bits();
      REQUIRE(bulk.bits() == bits);
      REQUIRE(floats.bits() == bits);
    } else if (kind == 1) {
      const double uniform = single.uniform();
      REQUIRE(bulk.uniform() == uniform);
      REQUIRE(floats.uniform() == uniform);
    } else if (kind == 2) {
      const double normal = single.normal();
      REQUIRE(bulk.normal() == normal);
      REQUIRE(floats.normal() == normal);
    } else {
      std::vector<double> x(script.below(kind == 3 ? 12 : 700));
      std::vector<float> y(x.size());
      bulk.normals(x);
      floats.normals(y);
      for (std::size_t k = 0; k < x.size(); ++k) {
        const double normal = single.normal();
        REQUIRE(x[k] == normal);
        REQUIRE(std::abs(static_cast<double>(y[k]) - normal) < 1e-6);
      }
    }
  }
}

// fails when the spare of an odd chunk is the one of double, rounded
TEST_CASE("Stream: float normals do not depend on how a run is cut") {
  for (const int words_before : {0, 1, 2, 3, 4}) {
    CAPTURE(words_before);
    const auto start = [&] {
      Stream s = test_stream(11);
      for (int k = 0; k < words_before; ++k) s.bits();
      return s;
    };
    std::vector<float> whole(2000), chunked(2000);
    start().normals(whole);
    Stream s = start(), sizes = test_stream(12);
    std::span<float> rest = chunked;
    while (!rest.empty()) {
      const auto chunk = rest.first(std::min<std::size_t>(sizes.below(20), rest.size()));
      s.normals(chunk);
      rest = rest.subspan(chunk.size());
    }
    CHECK(chunked == whole);
  }
}

// fails when bits() between the two normals of a pair drops the second one, or draws from the pair's words
TEST_CASE("Stream: the second normal of a pair waits while bits are drawn") {
  Stream words = test_stream(14), s = test_stream(14);
  const double radius = std::sqrt(-2 * std::log(words.uniform())), angle = 2 * constants::pi * words.uniform();
  CHECK(s.normal() == Approx(radius * std::cos(angle)).epsilon(1e-14));
  CHECK(s.bits() == words.bits());
  CHECK(s.normal() == Approx(radius * std::sin(angle)).epsilon(1e-14));
  CHECK(s.bits() == words.bits());
  CHECK(s.bits() == words.bits());
}

// R = 2e6; 5 sigma of each estimator: mean 1/sqrt(R), variance sqrt(2/R), third moment sqrt(15/R), fourth
// sqrt(96/R), product of neighbours 1/sqrt(R), tail share sqrt(p/R). Fails when the two normals of a pair are
// equal (cos for both), or when log10 stands for log
TEMPLATE_TEST_CASE("MC: normals have the moments of the normal distribution", "", double, float) {
  const std::uint64_t seed = 6;
  CAPTURE(seed);
  constexpr double r = 2e6;
  std::vector<TestType> normals(static_cast<std::size_t>(r));
  test_stream(seed).normals(normals);
  double m1 = 0, m2 = 0, m3 = 0, m4 = 0, neighbours = 0, beyond_3 = 0, last = 0;
  for (const double x : normals) {
    m1 += x;
    m2 += x * x;
    m3 += x * x * x;
    m4 += x * x * x * x;
    neighbours += x * last;
    beyond_3 += std::abs(x) > 3 ? 1 : 0;
    last = x;
  }
  CHECK(std::abs(m1 / r) < 5 / std::sqrt(r));
  CHECK(std::abs(m2 / r - 1) < 5 * std::sqrt(2 / r));
  CHECK(std::abs(m3 / r) < 5 * std::sqrt(15 / r));
  CHECK(std::abs(m4 / r - 3) < 5 * std::sqrt(96 / r));
  CHECK(std::abs(neighbours / r) < 5 / std::sqrt(r));
  const double p = 0.0026997960632601866;  // erfc(3/sqrt 2)
  CHECK(std::abs(beyond_3 / r - p) < 5 * std::sqrt(p / r));
}

// R = 1e6, chi^2 of n - 1 degrees: mean n - 1, variance 2(n - 1); 5 sigma. Fails when below(n) can return n
TEST_CASE("MC: uniforms fill (0, 1) and integers below n evenly") {
  const std::uint64_t seed = 7;
  CAPTURE(seed);
  constexpr int r = 1000000;
  for (const std::uint32_t n : {2u, 13u, 100u}) {
    CAPTURE(n);
    Stream s = test_stream(seed, n);
    std::vector<double> integers(n), bins(n);
    for (int k = 0; k < r; ++k) {
      const std::uint32_t below = s.below(n);
      const double u = s.uniform();
      if (below >= n || u <= 0 || u >= 1) FAIL("draw " << k << " out of range: " << below << ", " << u);
      integers[below] += 1;
      bins[static_cast<std::size_t>(u * n)] += 1;
    }
    const double expected = static_cast<double>(r) / n, spread = std::sqrt(2.0 * (n - 1));
    for (const auto& counts : {integers, bins}) {
      double chi2 = 0;
      for (const double c : counts) chi2 += (c - expected) * (c - expected) / expected;
      CHECK(std::abs(chi2 - (n - 1)) < 5 * spread);
    }
  }
}

// Moments of the Haar measure: <|u_ij|^4> = 2/(N(N+1)) (unitary), 3/(N(N+2)) (orthogonal); <tr> = 0,
// <|tr|^2> = 1. R = 20000 matrices of N = 5: 5 sigma of <|tr|^2> (an exponential, or chi^2_1) 5 sqrt(2/R) =
// 0.05, of <tr> 5/sqrt(R), of the fourth moments below 2 %. Fails when R's phases are not moved into Q (<tr> !=
// 0)
TEST_CASE("MC: Haar matrices are unitary and have the moments of the Haar measure") {
  const std::uint64_t seed = 8;
  CAPTURE(seed);
  const int n = 5, r = 20000;
  for (const bool orthogonal : {false, true}) {
    CAPTURE(orthogonal);
    double fourth = 0, trace_power = 0, defect = 0;
    Complex trace = 0;
    for (int k = 0; k < r; ++k) {
      Stream s = test_stream(seed, static_cast<std::uint32_t>(k));
      const Matrix u = orthogonal ? Matrix(haar_orthogonal(n, s).cast<Complex>()) : haar_unitary(n, s);
      defect = std::max(defect, unitarity_defect(u));
      fourth += u.cwiseAbs2().squaredNorm() / (n * n);
      trace += u.trace();
      trace_power += std::norm(u.trace());
    }
    CHECK(defect < 1e-14);
    CHECK(fourth / r == Approx(orthogonal ? 3.0 / (n * (n + 2)) : 2.0 / (n * (n + 1))).epsilon(0.02));
    CHECK(std::abs(trace) / r < 5 / std::sqrt(r));
    CHECK(std::abs(trace_power / r - 1) < 5 * std::sqrt(2.0 / r));
  }
}
