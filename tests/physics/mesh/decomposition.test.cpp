// Validation row 4: Clements decomposition, and what it refuses.

#include "physics/mesh/decomposition.hpp"

#include <numeric>

#include "physics/core/check.hpp"
#include "physics/mesh/engine/mesh_engine.hpp"
#include "physics/mesh/reference_mesh.hpp"
#include "physics/random/haar.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/plain_matrices.hpp"

using namespace optinc;
using namespace optinc::testing;

namespace {

/// Largest element of |mesh(p) - u|; checks the ranges of the phases on the way. The reference mesh, or the
/// kernel (tests/physics/mesh/engine.test.cpp holds it against the reference) where that would take minutes.
double mesh_error(const MeshTopology& t, const MeshProgram& p, const Matrix& u) {
  REQUIRE(p.theta.size() == t.mzi_count());
  REQUIRE(p.phi.size() == t.mzi_count());
  REQUIRE(p.output_phase.size() == t.ports);
  if (t.mzi_count() > 0) {
    CHECK(p.theta.minCoeff() >= 0.0);
    CHECK(p.theta.maxCoeff() <= pi);
    CHECK(p.phi.minCoeff() >= 0.0);
    CHECK(p.phi.maxCoeff() < 2 * pi);
  }
  if (t.ports > 128) return max_abs(transfer_matrix(t, p, no_errors(t)) - u);
  return max_abs(reference_transfer_matrix(t, p, no_errors(t)) - u);
}

double clements_error(const Matrix& u) {
  return mesh_error(clements_topology(static_cast<int>(u.rows())), decompose_clements(u), u);
}

double reck_error(const Matrix& u) {
  return mesh_error(reck_topology(static_cast<int>(u.rows())), decompose_reck(u), u);
}

/// On both meshes.
double reconstruction_error(const Matrix& u) { return std::max(clements_error(u), reck_error(u)); }

std::vector<int> row_4_sizes() {
  std::vector<int> sizes(16);
  std::iota(sizes.begin(), sizes.end(), 2);
  sizes.insert(sizes.end(), {32, 64, 128});
  return sizes;
}

}  // namespace

// fails when null_from_right drops its + pi, when push_diagonal does not update d1, or when wrap_phase leaves
// negative phases
TEST_CASE("row 4: Haar unitaries and orthogonals come back from the mesh, N = 2..17, 32, 64, 128") {
  const std::uint64_t seed = 400;
  for (const int n : row_4_sizes()) {
    CAPTURE(seed, n);
    Stream s = test_stream(seed, static_cast<std::uint32_t>(n));
    CHECK(reconstruction_error(haar_unitary(n, s)) < 1e-12);  // row 4 asks for 1e-11
    CHECK(reconstruction_error(haar_orthogonal(n, s).cast<Complex>()) < 1e-12);
  }
}

TEST_CASE("row 4: large unitaries come back with an error below 1e-12 N, whatever their size") {
  const std::uint64_t seed = 404;
  for (const int n : {200, 256, 301}) {
    CAPTURE(seed, n);
    Stream s = test_stream(seed, static_cast<std::uint32_t>(n));
    CHECK(clements_error(haar_unitary(n, s)) < 1e-13);  // 1e-12 N is asked for; rounding grows as sqrt(N)
    CHECK(reck_error(haar_orthogonal(n, s).cast<Complex>()) < 1e-13);
  }
}

// "MC:" keeps it out of the sanitizers, where it would be the same code for longer
TEST_CASE("MC: row 4: a unitary of 1024 ports comes back with an error below 1e-12 N") {
  const std::uint64_t seed = 405;
  CAPTURE(seed);
  Stream s = test_stream(seed);
  const Matrix u = haar_unitary(1024, s);
  CHECK(clements_error(u) < 1e-12);
  CHECK(reck_error(u) < 1e-12);
}

// zeros everywhere: atan2(0, 0) and args of 0 decide. Fails when null_from_right divides the two elements
// (atan(|b|/|a|) is NaN for 0/0)
TEST_CASE("row 4: identity, reversal, shifts and random permutations come back from the mesh") {
  const std::uint64_t seed = 402;
  CAPTURE(seed);
  for (const int n : {1, 2, 3, 4, 5, 8, 13, 16}) {
    CAPTURE(n);
    const Matrix one = Matrix::Identity(n, n);
    CHECK(reconstruction_error(one) < 1e-13);
    CHECK(reconstruction_error(-one) < 1e-13);
    CHECK(reconstruction_error(one.rowwise().reverse()) < 1e-13);
    Stream s = test_stream(seed, static_cast<std::uint32_t>(n));
    for (int draw = 0; draw < 20; ++draw) {
      Eigen::PermutationMatrix<Eigen::Dynamic> p(n);
      p.setIdentity();
      for (int k = n - 1; k > 0; --k)
        std::swap(p.indices()[k], p.indices()[static_cast<int>(s.below(static_cast<std::uint32_t>(k) + 1))]);
      CAPTURE(draw, p.indices().transpose());
      CHECK(reconstruction_error(p.toDenseMatrix().cast<Complex>()) < 1e-13);
    }
  }
}

TEST_CASE("row 4: Fourier, Hadamard and block matrices come back from the mesh") {
  for (const int n : {2, 4, 8, 16}) {
    CAPTURE(n);
    Matrix fourier(n, n), hadamard(n, n);
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c) {
        fourier(r, c) = std::polar(1 / std::sqrt(n), 2 * pi * r * c / n);
        hadamard(r, c) = (__builtin_popcount(static_cast<unsigned>(r & c)) % 2 ? -1 : 1) / std::sqrt(n);
      }
    CHECK(reconstruction_error(fourier) < 1e-12);
    CHECK(reconstruction_error(hadamard) < 1e-12);
    Matrix blocks = Matrix::Zero(n + 3, n + 3);
    blocks.topLeftCorner(n, n) = fourier;
    blocks.bottomRightCorner(3, 3) = Complex(0, 1) * Matrix::Identity(3, 3);
    CHECK(reconstruction_error(blocks) < 1e-12);
  }
}

TEST_CASE("a single MZI is programmed with its own phases") {
  Matrix2 u;  // MZI convention typed: theta = 1.2, phi = 0.5, output phases 0.3 and 5.0
  const Complex i(0, 1), common = i * std::exp(i * 0.6);
  u << std::exp(i * 0.5) * std::sin(0.6), std::cos(0.6), std::exp(i * 0.5) * std::cos(0.6), -std::sin(0.6);
  u = Eigen::Vector2cd(std::exp(i * 0.3), std::exp(i * 5.0)).asDiagonal() * (common * u);
  const MeshProgram p = decompose_clements(u);
  CHECK(p.theta[0] == Approx(1.2).epsilon(1e-14));
  CHECK(p.phi[0] == Approx(0.5).epsilon(1e-14));
  CHECK(p.output_phase[0] == Approx(0.3).epsilon(1e-13));
  CHECK(p.output_phase[1] == Approx(5.0).epsilon(1e-13));
}

TEST_CASE("row 4: N(N-1)/2 MZIs in N columns") {
  for (int n = 3; n <= 17; ++n) {
    CAPTURE(n);
    CHECK(clements_topology(n).mzi_count() == n * (n - 1) / 2);
    CHECK(clements_topology(n).columns() == n);
    CHECK_NOTHROW(validate_topology(clements_topology(n)));
  }
  CHECK(clements_topology(128).mzi_count() == 8128);
  CHECK(clements_topology(128).columns() == 128);
  CHECK(clements_topology(2).mzi_count() == 1);
  CHECK(clements_topology(2).columns() == 1);  // the second column would be empty
  CHECK(clements_topology(1).mzi_count() == 0);
  CHECK(clements_topology(1).columns() == 0);
}

// fails when the triangle's lower edge is one column off
TEST_CASE("row 4: the triangle has N(N-1)/2 MZIs in 2N - 3 columns") {
  for (int n = 2; n <= 17; ++n) {
    CAPTURE(n);
    CHECK(reck_topology(n).mzi_count() == n * (n - 1) / 2);
    CHECK(reck_topology(n).columns() == 2 * n - 3);
    CHECK_NOTHROW(validate_topology(reck_topology(n)));
  }
  CHECK(reck_topology(1).mzi_count() == 0);
  CHECK_THROWS_AS(reck_topology(0), Error);
}

// Russell et al., New J. Phys. 19, 033007, 2017: the bar power of an MZI of rank k (N-k of them) is Beta(1, k)
// for Haar unitaries, Beta(1/2, k/2) for Haar orthogonals: the same mean 1/(k+1), second moments 2/((k+1)(k+2))
// and 3/((k+1)(k+3)). R = 400 meshes of N = 16, 48000 MZIs: 5 sigma of the mean (spread < 0.3) 0.007, of the
// second moment (spread < 0.2) 0.005; between the two measures lies 0.017. Fails when haar_unitary draws real
// matrices
TEST_CASE("MC: programs of Haar matrices have the bar powers of their rank") {
  const std::uint64_t seed = 403;
  const int n = 16, meshes = 400;
  for (const bool orthogonal : {false, true}) {
    CAPTURE(seed, orthogonal);
    double first = 0, second = 0;
    for (std::uint32_t m = 0; m < meshes; ++m) {
      Stream s = test_stream(seed, m);
      const Matrix u = orthogonal ? Matrix(haar_orthogonal(n, s).cast<Complex>()) : haar_unitary(n, s);
      const Vector bar = (decompose_clements(u).theta / 2).array().sin().square();
      first += bar.mean() / meshes;
      second += bar.squaredNorm() / static_cast<double>(bar.size()) / meshes;
    }
    double law_first = 0, law_second = 0;
    for (int k = 1; k < n; ++k) {
      const double share = (n - k) / (n * (n - 1) / 2.0);
      law_first += share / (k + 1);
      law_second += share * (orthogonal ? 3.0 / ((k + 1) * (k + 3)) : 2.0 / ((k + 1) * (k + 2)));
    }
    CHECK(first == Approx(law_first).margin(0.007));
    CHECK(second == Approx(law_second).margin(0.005));
  }
}

// each fails when its validate() is taken out
// Fails when it is rendered: wrapped, it is 0.
TEST_CASE("a phase that is not finite is not rendered") {
  const Vector zero = Vector::Zero(6);
  for (const int bits : {0, 8}) {
    MeshProgram p{zero, zero, Vector::Zero(4)};
    CHECK_NOTHROW(quantise(p, bits));
    p.output_phase[3] = std::numeric_limits<double>::infinity();
    CHECK_THROWS_WITH(quantise(p, bits), ContainsSubstring("output_phase of port 3 is inf"));
    p.phi[5] = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_WITH(quantise(p, bits), ContainsSubstring("phi of MZI 5 is nan"));
  }
}

TEST_CASE("decomposition refuses what no mesh can be") {
  Matrix u = Matrix::Identity(4, 4);
  CHECK_THROWS_WITH(decompose_clements(Matrix::Zero(3, 4)),
                    ContainsSubstring("3 x 4") && ContainsSubstring("square"));
  CHECK_THROWS_WITH(decompose_clements(Matrix(0, 0)), ContainsSubstring("0 x 0"));
  u(2, 1) = 1e-3;
  CHECK_THROWS_WITH(decompose_clements(u),
                    ContainsSubstring("not unitary") && ContainsSubstring("polar factor"));
  CHECK_THROWS_AS(decompose_clements(2.0 * Matrix::Identity(4, 4)), Error);
  u(2, 1) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_WITH(decompose_clements(u), ContainsSubstring("NaN"));
  u(2, 1) = std::numeric_limits<double>::infinity();
  CHECK_THROWS_WITH(decompose_clements(u), ContainsSubstring("infinity"));
  u(2, 1) = 1e-8;  // rounding of a file with 8 digits passes
  CHECK_NOTHROW(decompose_clements(u));
}

// fails when a pair's ports are not compared across the column
TEST_CASE("topologies: overlapping, reversed and outside ports are refused") {
  const auto one_column = [](std::vector<PortPair> pairs) {
    MeshTopology t{4, std::move(pairs), {0}};
    t.column_begin.push_back(t.mzi_count());
    return t;
  };
  CHECK_NOTHROW(validate_topology(one_column({{0, 1}, {2, 3}})));
  CHECK_NOTHROW(validate_topology(one_column({{0, 3}, {1, 2}})));
  CHECK_THROWS_WITH(validate_topology(one_column({{0, 1}, {1, 2}})), ContainsSubstring("port 1 twice"));
  CHECK_THROWS_WITH(validate_topology(one_column({{0, 3}, {2, 3}})), ContainsSubstring("port 3 twice"));
  CHECK_THROWS_AS(validate_topology(one_column({{1, 0}})), Error);
  CHECK_THROWS_AS(validate_topology(one_column({{2, 2}})), Error);
  CHECK_THROWS_AS(validate_topology(one_column({{3, 4}})), Error);
  CHECK_THROWS_AS(validate_topology(one_column({{-1, 2}})), Error);
  for (const int ports : {0, -3, 70000}) CHECK_THROWS_AS(clements_topology(ports), Error);
}
