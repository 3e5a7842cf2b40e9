#include "physics/mesh/haar_phases.hpp"

#include <cmath>

#include "physics/core/units.hpp"
#include "physics/mesh/decomposition.hpp"
#include "physics/random/haar.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

// Fails when the density is that of the rank above or below
TEST_CASE("mean phases of Haar-orthogonal meshes: closed forms of the first ranks and published means") {
  constexpr double pi = constants::pi;
  CHECK(mean_theta_orthogonal_rad(1) == Approx(pi / 2).epsilon(1e-14));  // uniform angle of a plane
  CHECK(mean_theta_orthogonal_rad(2) == Approx(pi - 2).epsilon(1e-14));  // component of a sphere, uniform
  CHECK(mean_theta_orthogonal_rad(3) == Approx(pi / 2 - 2 / pi).epsilon(1e-12));
  CHECK(mean_theta_orthogonal_rad(10000) == Approx(std::sqrt(8 / (pi * 10000))).epsilon(1e-4));
  CHECK(mean_mesh_theta_orthogonal_rad(64) == Approx(0.47).margin(0.005));
  CHECK(mean_mesh_theta_orthogonal_rad(128) == Approx(0.34).margin(0.005));
  CHECK(mean_mesh_theta_orthogonal_rad(2) == Approx(pi / 2).epsilon(1e-14));
  check_message(refusal([] { mean_theta_orthogonal_rad(0); }), {"rank 0"});
  check_message(refusal([] { mean_mesh_theta_orthogonal_rad(1); }), {"1 ports of a mesh"});
}

// 60 matrices of 16 ports; 5 standard errors of the mean over matrices. Fails for the law of unitary matrices
// (0.87)
TEST_CASE("MC: decomposed Haar-orthogonal matrices have that mean phase") {
  Stream stream(7, Purpose::test);
  double sum = 0.0, square = 0.0;
  constexpr int matrices = 60;
  for (int i = 0; i < matrices; ++i) {
    const double mean = decompose_clements(haar_orthogonal(16, stream).cast<Complex>()).theta.mean();
    sum += mean / matrices;
    square += mean * mean / matrices;
  }
  const double error = std::sqrt((square - sum * sum) / (matrices - 1));
  CHECK(std::abs(sum - mean_mesh_theta_orthogonal_rad(16)) < 5 * error);
}
