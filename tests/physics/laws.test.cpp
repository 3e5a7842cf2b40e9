// Local correction of known splitter errors is exact. What is left where MZIs clip, and what errors cost that
// nothing corrects, are the laws of `optinc validate`, rows 8 to 13.

#include "tests/support/catch.hpp"
#include "tests/support/mesh_monte_carlo.hpp"

using namespace optinc;
using namespace optinc::testing;

// 300 meshes; exact, so no tolerance of a Monte-Carlo. Fails when phi' leaves out the phase of the imperfect
// MZI, when row phases are not carried to the lower port, or when the clip bound uses alpha - beta
TEST_CASE("row 5: local correction is exact where nothing clips") {
  const std::uint64_t seed = 500;
  int exact = 0;
  for (std::uint32_t m = 0; m < 300; ++m) {
    CAPTURE(seed, m);
    const Matrix u = haar_target(Target::unitary, 8, seed, m);
    const CorrectedMesh c = corrected_mesh(u, 0.02, {seed, 0, m});
    if (c.clipped > 0) continue;
    ++exact;
    CHECK(frobenius_error(c.matrix, u) < 1e-11);
    if (m < 20)
      CHECK(frobenius_error(uncorrected_mesh(u, 0.02, {seed, 0, m}), u) > 0.02);  // there was something
  }
  CHECK(exact > 240);  // exp(-n) of 300 with n = 2 sigma^2 (N(N^2-1)/6 + N-1): 280
}

TEST_CASE("row 5: perfect splitters leave a program's matrix as it is, either way of clipping") {
  const std::uint64_t seed = 501;
  for (const Clipping clipping : {Clipping::nearest, Clipping::quadrature})
    for (const Target target : {Target::unitary, Target::orthogonal}) {
      CAPTURE(seed, clipping == Clipping::nearest, target == Target::unitary);
      const Matrix u = haar_target(target, 16, seed, 0);
      const CorrectedMesh c = corrected_mesh(u, 0.0, {seed, 0, 0}, clipping);
      CHECK(c.clipped == 0);
      CHECK(frobenius_error(c.matrix, u) < 1e-12);
    }
}
