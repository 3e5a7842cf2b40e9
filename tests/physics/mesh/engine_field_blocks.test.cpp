#include <algorithm>
#include <complex>
#include <vector>

#include "physics/mesh/engine/field_blocks.hpp"

#include "tests/support/catch.hpp"

using namespace optinc;

// Fails when ports and words are exchanged, the two parts are, or words behind the last are left as they were
TEMPLATE_TEST_CASE("Fields that lie word by word are packed as planes are, and come back", "", float, double) {
  using Real = TestType;
  for (const std::size_t words : {1u, 31u, 64u, 77u}) {
    CAPTURE(words);
    constexpr std::size_t ports = 7;
    std::vector<std::complex<Real>> rows(words * ports), back(rows.size());
    std::vector<Real> re(rows.size()), im(rows.size());
    for (std::size_t w = 0; w < words; ++w)
      for (std::size_t p = 0; p < ports; ++p) {
        re[p * words + w] = static_cast<Real>(100 * p + w);
        im[p * words + w] = -static_cast<Real>(w) - Real(0.5);
        rows[w * ports + p] = {re[p * words + w], im[p * words + w]};
      }
    FieldBlocks<Real> by_planes(ports, words), by_rows(ports, words);
    std::fill(by_rows.data.begin(), by_rows.data.end(), Real(7));
    pack<Real>({re.data(), im.data(), words}, 0, by_planes);
    pack(rows.data(), by_rows);
    CHECK(std::equal(by_rows.data.begin(), by_rows.data.end(), by_planes.data.begin()));
    unpack(by_rows, back.data());
    CHECK(back == rows);
  }
}
