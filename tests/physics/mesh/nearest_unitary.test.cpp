#include "physics/mesh/nearest_unitary.hpp"

#include "physics/random/haar.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

Matrix haar(int n, std::uint32_t number) {
  Stream stream(5, Purpose::haar, number);
  return haar_unitary(n, stream);
}

}  // namespace

// A = V diag(s) U with V, U unitary and s > 0 has the polar factor V U. Fails where U is taken in place of its
// adjoint, and where the singular values stay.
TEST_CASE("the nearest unitary matrix is the polar factor, and nearer than any other") {
  for (const int n : {1, 2, 7, 16}) {
    const Matrix left = haar(n, 0), right = haar(n, 1);
    const Vector s = Vector::LinSpaced(n, 0.5, 1.5);
    const Matrix a = left * s.cast<Complex>().asDiagonal() * right;
    const NearestUnitary found = nearest_unitary(a);
    CHECK((found.unitary - left * right).cwiseAbs().maxCoeff() < 1e-13);
    CHECK(found.distance == Approx((left * right - a).cwiseAbs().maxCoeff()).epsilon(1e-10));
    for (std::uint32_t other = 2; other < 12; ++other)
      CHECK((haar(n, other) - a).norm() >= (found.unitary - a).norm());
    CHECK(unitary_defect(found.unitary) < 1e-13);
    // |U^H U - 1| of a scaled unitary: s^2 - 1 on the diagonal
    CHECK(unitary_defect(1.1 * left) == Approx(0.21).epsilon(1e-12));
  }
}

TEST_CASE("what has no nearest unitary matrix, and what is not unitary, is refused") {
  const Matrix u = haar(4, 0);
  CHECK(refusal([&] { validate_unitary(u); }).empty());
  CHECK(refusal([&] { validate_unitary(2 * Matrix::Identity(4, 4), "Do so."); }) ==
        "matrix is not unitary (|U^H U - 1| reaches 3.0e+00; 1e-6 is allowed; the nearest unitary matrix "
        "differs by up "
        "to 1.0e+00 in an element). Do so.");
  CHECK_THAT(refusal([&] { nearest_unitary(u.leftCols(3)); }), ContainsSubstring("4 x 3"));
  CHECK_THAT(refusal([&] { nearest_unitary(Matrix::Zero(3, 3)); }),
             ContainsSubstring("no single nearest unitary"));
  Matrix lame = u;
  lame.col(1) = lame.col(0);
  CHECK_THAT(refusal([&] { nearest_unitary(lame); }), ContainsSubstring("no single nearest unitary"));
  lame(0, 0) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THAT(refusal([&] { nearest_unitary(lame); }), ContainsSubstring("NaN"));
}
