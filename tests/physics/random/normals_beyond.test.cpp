#include "physics/random/normals_beyond.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "tests/support/catch.hpp"

using namespace optinc;

// 200,000 draws of five, 5 sigma. With p the chance of one, phi the density, a = 1 - p and b = a - 2 r phi(r)
// the part of the second moment within reach, E[z_i^2] = (1 - b a^4) / P, and p / P of the draws have z_i
// beyond. Fails when the first normal beyond is any with even chances, those before it are anywhere, the tail
// is an exponential's or has one sign.
TEST_CASE("MC: normals, one of which is beyond reach, have the moments of all such normals") {
  constexpr int draws = 200'000;
  for (const double reach : {0.0, 0.5, 1.0, 2.0, 4.5}) {
    CAPTURE(reach);
    const double p = std::erfc(reach / std::numbers::sqrt2), a = 1 - p,
                 density = std::exp(-reach * reach / 2) / std::sqrt(2 * std::numbers::pi),
                 within = a - 2 * reach * density, any = chance_beyond(reach, 5);
    CHECK(std::abs(any / (1 - std::pow(a, 5)) - 1) < 1e-10);
    Stream stream(1, Purpose::test, static_cast<std::uint32_t>(10 * reach));
    std::array<double, 5> z{}, sum{}, squares{}, fourths{}, beyond{};
    int none = 0;
    for (int i = 0; i < draws; ++i) {
      normals_beyond(reach, stream, z);
      bool found = false;
      for (std::size_t k = 0; k < z.size(); ++k) {
        sum[k] += z[k];
        squares[k] += z[k] * z[k];
        fourths[k] += std::pow(z[k], 4);
        beyond[k] += std::abs(z[k]) > reach;
        found = found || std::abs(z[k]) > reach;
      }
      none += !found;
    }
    CHECK(none == 0);
    for (std::size_t k = 0; k < z.size(); ++k) {
      CAPTURE(k);
      const double square = squares[k] / draws, share = beyond[k] / draws, expected = p / any,
                   spread = std::sqrt((fourths[k] / draws - square * square) / draws);
      CHECK(std::abs(square - (1 - within * std::pow(a, 4)) / any) < 5 * spread);
      CHECK(std::abs(share - expected) <= 5 * std::sqrt(expected * (1 - expected) / draws) + 1e-12);
      CHECK(std::abs(sum[k] / draws) < 5 * std::sqrt(square / draws));
    }
  }
}
