// The rectangle of symmetric MZIs: the same matrices, phases where shifters are, N^2 of them.

#include "physics/mesh/bell_walmsley.hpp"

#include "physics/core/check.hpp"
#include "physics/mesh/decomposition.hpp"
#include "physics/mesh/reference_mesh.hpp"
#include "physics/random/haar.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"

using namespace optinc;
using namespace optinc::testing;

namespace {

using constants::pi;

Matrix matrix_of(const SymmetricProgram& p) {
  return reference_transfer_matrix(clements_topology(static_cast<int>(p.output_phase.size())), mesh_blocks(p));
}

/// Every phase with whether it has a shifter.
template <class Body>
void each_phase(SymmetricProgram& p, const SymmetricShifters& s, Body body) {
  const auto all = [&](Vector& phases, const std::vector<bool>& there) {
    REQUIRE(static_cast<std::size_t>(phases.size()) == there.size());
    for (Eigen::Index i = 0; i < phases.size(); ++i) body(phases[i], there[static_cast<std::size_t>(i)]);
  };
  all(p.upper, s.upper);
  all(p.lower, s.lower);
  all(p.input_phase, s.input_phase);
  all(p.edge_phase, s.edge_phase);
  all(p.output_phase, s.output_phase);
}

}  // namespace

// Fails when a difference of owed phases has the wrong sign, or the chain of common phases misses an edge
TEST_CASE("Bell-Walmsley: Haar unitaries and orthogonals come back, N = 1..12, 33, 64") {
  for (const int n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 33, 64}) {
    CAPTURE(n);
    Stream s = test_stream(631, static_cast<std::uint32_t>(n));
    for (const Matrix& u :
         {haar_unitary(n, s), Matrix(haar_orthogonal(n, s).cast<Complex>()), Matrix(Matrix::Identity(n, n))}) {
      SymmetricProgram p = decompose_bell_walmsley(u);
      CHECK(max_abs(matrix_of(p) - u) < 1e-12);
      each_phase(p, bell_walmsley_shifters(n), [](double phase, bool there) {
        REQUIRE((phase >= 0 && phase < 2 * pi));
        if (!there) REQUIRE(std::min(phase, 2 * pi - phase) < 1e-9);  // 0 but for rounding
      });
    }
  }
}

// Fails when a shifter too many stays, or one too few
TEST_CASE(
    "Bell-Walmsley: N^2 shifters, 2 in each of N(N-1)/2 MZIs but for one arm of every other column's first") {
  for (int n = 1; n <= 40; ++n) {
    CAPTURE(n);
    const SymmetricShifters s = bell_walmsley_shifters(n);
    CHECK(s.count() == n * n);
    const auto edges = std::count(s.edge_phase.begin(), s.edge_phase.end(), true);
    CHECK(edges == (n % 2 == 0 ? std::max(0, n / 2 - 1) : 0));
  }
  CHECK_THROWS_AS(bell_walmsley_shifters(0), Error);
}

// N^2 phases that each do something of their own: the N^2 derivatives of the matrix are independent at a random
// point, so none of them could be left out. Fails when a redundant shifter stands for a needed one
TEST_CASE("Bell-Walmsley: every shifter counts") {
  for (const int n : {2, 3, 4, 5, 6}) {
    CAPTURE(n);
    Stream s = test_stream(632, static_cast<std::uint32_t>(n));
    SymmetricProgram p = decompose_bell_walmsley(haar_unitary(n, s));
    const Matrix at = matrix_of(p);
    Eigen::MatrixXd jacobian(2 * n * n, n * n);
    Eigen::Index column = 0;
    each_phase(p, bell_walmsley_shifters(n), [&](double& phase, bool there) {
      if (!there) return;
      const double step = 1e-5;
      phase += step;
      const Matrix up = matrix_of(p);
      phase -= 2 * step;
      const Matrix slope = (up - matrix_of(p)) / (2 * step);
      phase += step;
      jacobian.col(column).head(n * n) = slope.real().reshaped();
      jacobian.col(column++).tail(n * n) = slope.imag().reshaped();
    });
    REQUIRE(column == n * n);
    const auto values = jacobian.jacobiSvd().singularValues();
    CHECK(values[n * n - 1] > 1e-6);
  }
}

// Fails when the errors of one MZI reach another, or idle waveguides lose nothing
TEST_CASE("Bell-Walmsley: errors of each MZI, losses of passing waveguides") {
  const int n = 4;
  Stream s = test_stream(633);
  const SymmetricProgram p = decompose_bell_walmsley(haar_unitary(n, s));
  std::vector<SymmetricMziErrors> errors(6);
  for (auto& e : errors)
    e = {0.05 * s.normal(), 0.05 * s.normal(), 0.1 * s.normal(), 0.1 * s.normal(), 0.2, 0.2};
  const Matrix u = reference_transfer_matrix(clements_topology(n), mesh_blocks(p, errors, 0.2));
  const double passed = std::pow(10.0, -4 * 0.2 / 20);  // every way crosses four columns
  CHECK(max_abs(u.adjoint() * u - passed * passed * Matrix::Identity(n, n)) < 1e-14);
  CHECK(max_abs(u / passed - matrix_of(p)) > 0.02);
  // MZI 5 is (1, 2) of the last column: its lower arm's offset turns only what it passes on
  auto offset = errors;
  offset[5].lower_offset += 0.3;
  const Matrix v = reference_transfer_matrix(clements_topology(n), mesh_blocks(p, offset, 0.2));
  CHECK(max_abs((v - u).row(0)) + max_abs((v - u).row(3)) < 1e-15);
  CHECK(max_abs((v - u).middleRows(1, 2)) > 0.02);
  CHECK_THROWS_WITH(mesh_blocks(p, std::vector<SymmetricMziErrors>(5)), ContainsSubstring("errors"));
}

// Fails when sizes are not looked at
TEST_CASE("Bell-Walmsley: what is no rectangle is refused") {
  Stream s = test_stream(634);
  MeshProgram p = random_program(clements_topology(5), s);
  CHECK(max_abs(matrix_of(bell_walmsley_program(p)) -
                reference_transfer_matrix(clements_topology(5), p, no_errors(clements_topology(5)))) < 1e-13);
  p.theta.conservativeResize(9);
  CHECK_THROWS_WITH(bell_walmsley_program(p), ContainsSubstring("theta") && ContainsSubstring("10"));
}
