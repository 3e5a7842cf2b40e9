#include "physics/mesh/fidelity.hpp"

#include "physics/core/check.hpp"
#include "physics/random/haar.hpp"

#include "tests/support/catch.hpp"

using namespace optinc;

TEST_CASE("fidelity: loss and a common phase do not count") {
  Stream stream(1, Purpose::test);
  const Matrix u = haar_unitary(5, stream);
  CHECK(std::abs(fidelity(u, u) - 1) < 1e-14);
  CHECK(std::abs(fidelity(u, Complex(0.1, -0.3) * u) - 1) < 1e-14);
}

// Without conjugating the target, the first line would give 0.
TEST_CASE("fidelity: overlap of diagonal matrices") {
  const Matrix s = Eigen::Vector2cd(1.0, Complex(0, 1)).asDiagonal();
  CHECK(std::abs(fidelity(s, s) - 1) < 1e-15);
  CHECK(std::abs(fidelity(Matrix::Identity(2, 2), s) - 0.5) < 1e-15);  // |1 + i|^2 / (2 * 2)
}

TEST_CASE("fidelity: refuses matrices of other sizes") {
  CHECK_THROWS_AS(fidelity(Matrix::Identity(2, 2), Matrix::Identity(3, 3)), Error);
  CHECK_THROWS_AS(fidelity(Matrix(0, 0), Matrix(0, 0)), Error);
  CHECK_THROWS_AS(fidelity(Matrix::Identity(2, 3), Matrix::Identity(2, 3)), Error);
}
