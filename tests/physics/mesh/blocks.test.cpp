// Meshes of other kinds of MZIs: their decomposition, what local correction reaches on each (Hamerly et al.,
// Nat. Commun. 13, 6831, 2022; rows 13 and 13b of `optinc validate`), butterflies and fits.

#include "physics/mesh/blocks.hpp"

#include "physics/core/check.hpp"
#include "physics/mesh/fit.hpp"
#include "physics/mesh/reference_correction.hpp"
#include "physics/mesh/reference_mesh.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/mesh_monte_carlo.hpp"

using namespace optinc;
using namespace optinc::testing;

namespace {

using constants::pi;
constexpr MziKind every_kind[] = {MziKind::standard, MziKind::real, MziKind::three_splitter, MziKind::balanced};

/// Splitter errors ~ N(0, sigma), gamma's too; nothing else.
MeshVariantErrors splitter_errors(const MeshTopology& t, double sigma, Stream& s) {
  MeshVariantErrors e = no_variant_errors(t);
  for (Vector* v : {&e.mzis.alpha, &e.mzis.beta, &e.gamma}) *v = normal_vector(t.mzi_count(), sigma, s);
  return e;
}

Matrix matrix_of(const MeshTopology& t, MziKind kind, const MeshProgram& p, const MeshVariantErrors& e) {
  MeshEngine<double> engine(t);
  engine.settle(mesh_blocks(t, kind, p, e));
  return engine.transfer_matrix();
}

/// A mesh of a kind, programmed for a target with its splitters known.
CorrectedMesh corrected(MziKind kind, const Matrix& target, double sigma, Stream& s) {
  const MeshTopology t = clements_topology(static_cast<int>(target.rows()));
  const MeshVariantErrors e = splitter_errors(t, sigma, s);
  const CorrectedProgram c =
      program_blocks(t, kind, decompose_clements(target), {e.mzis.alpha, e.mzis.beta, e.gamma});
  return {matrix_of(t, kind, c.program, e), c.clipped};
}

/// Distance of a phase to 0 or pi.
double off_axis(double phase) { return std::abs(std::sin(phase)); }

Matrix permutation(const std::vector<int>& to) {
  const auto n = static_cast<Eigen::Index>(to.size());
  Matrix m = Matrix::Zero(n, n);
  for (Eigen::Index i = 0; i < n; ++i) m(i, to[static_cast<std::size_t>(i)]) = i % 2 == 0 ? 1.0 : -1.0;
  return m;
}

/// 1, with a Haar orthogonal 3 x 3 in the middle: MZIs at bar and cross beside others.
Matrix mixed(Stream& s) {
  Matrix m = Matrix::Identity(7, 7);
  m.block(2, 2, 3, 3) = haar_orthogonal(3, s).cast<Complex>();
  return m;
}

}  // namespace

// Fails when the third splitter's adjoint is forgotten in M1, or owed phases are not carried to the lower port
TEST_CASE("every kind: decomposed unitaries come back from the perfect mesh, N = 1..9, 32") {
  for (const int n : {1, 2, 3, 4, 5, 8, 9, 32})
    for (const MziKind kind : every_kind)
      for (const Target target : {Target::unitary, Target::orthogonal}) {
        CAPTURE(n, static_cast<int>(kind), target == Target::unitary);
        const Matrix u = haar_target(target, n, 601, static_cast<std::uint32_t>(n));
        const MeshTopology t = clements_topology(n);
        const MeshProgram p = decompose(kind, u);
        CHECK(max_abs(reference_transfer_matrix(t, mesh_blocks(t, kind, p, no_variant_errors(t))) - u) < 1e-12);
        if (n > 1) CHECK((p.theta.minCoeff() >= 0 && p.theta.maxCoeff() <= pi));
      }
}

// Fails when phases are not snapped (real), or the balanced block keeps a common phase (theta then spreads)
TEST_CASE("real targets: phi and screen of 0 or pi on real MZIs, theta = pi/2 on balanced ones") {
  for (const int n : {2, 5, 16, 33}) {
    CAPTURE(n);
    const Matrix u = haar_target(Target::orthogonal, n, 602, static_cast<std::uint32_t>(n));
    const MeshProgram real = decompose(MziKind::real, u);
    for (const double phase : real.phi) CHECK((phase == 0.0 || phase == pi));
    for (const double phase : real.output_phase) CHECK((phase == 0.0 || phase == pi));
    const MeshProgram balanced = decompose(MziKind::balanced, u);
    CHECK((balanced.theta.array() - pi / 2).abs().maxCoeff() < 1e-11);
    CHECK(balanced.output_phase.unaryExpr(&off_axis).maxCoeff() < 1e-11);
  }
  // a plain mesh needs phases of every size for the same matrix
  CHECK(decompose_clements(haar_target(Target::orthogonal, 16, 602, 16)).phi.unaryExpr(&off_axis).maxCoeff() >
        0.5);
}

// Fails when an element that is 0 decides on a phase
TEST_CASE("real targets with zeros: identity, permutations, blocks") {
  Stream s = test_stream(603);
  for (const Matrix& u : {Matrix(Matrix::Identity(6, 6)), permutation({3, 0, 2, 1, 4}),
                          permutation({5, 4, 3, 2, 1, 0}), mixed(s)})
    for (const MziKind kind : every_kind) {
      CAPTURE(u.rows(), static_cast<int>(kind));
      const MeshTopology t = clements_topology(static_cast<int>(u.rows()));
      const MeshProgram p = decompose(kind, u);
      CHECK(max_abs(reference_transfer_matrix(t, mesh_blocks(t, kind, p, no_variant_errors(t))) - u) < 1e-13);
    }
}

// Fails when alpha and beta are exchanged anywhere in program_blocks
TEST_CASE("plain MZIs: the general rule is the plain one") {
  const int n = 12;
  Stream s = test_stream(604);
  const MeshTopology t = clements_topology(n);
  const MeshProgram wanted = decompose_clements(haar_unitary(n, s));
  const MeshErrors e = random_errors(t, 0.1, s);
  const CorrectedProgram general =
      program_blocks(t, MziKind::standard, wanted, {e.alpha, e.beta, Vector::Zero(t.mzi_count())});
  const CorrectedProgram plain = reference_correct_splitters(t, wanted, e.alpha, e.beta);
  CHECK(general.clipped == plain.clipped);
  CHECK(plain.clipped > 0);
  CHECK(max_abs(reference_transfer_matrix(t, general.program, e) -
                reference_transfer_matrix(t, plain.program, e)) < 1e-12);
}

// Exact, so no tolerance of a Monte-Carlo. Fails when gamma is left out of M1 or of the block, or row phases
// come from M1
TEST_CASE("every kind: correction is exact where nothing clips") {
  for (const MziKind kind : every_kind) {
    int exact = 0;
    for (std::uint32_t m = 0; m < 60; ++m) {
      Stream s = test_stream(605, m);
      CAPTURE(static_cast<int>(kind), m);
      const Matrix u = haar_target(Target::unitary, 8, 605, m);
      const CorrectedMesh c = corrected(kind, u, 0.02, s);
      if (c.clipped > 0) continue;
      ++exact;
      CHECK(frobenius_error(c.matrix, u) < 1e-11);
    }
    CHECK(exact > 40);
  }
}

// Fails when strides halve, or a pair is listed twice
TEST_CASE("butterfly: strides 1, 2, 4, .., (N/2) log2 N MZIs, powers of two only") {
  CHECK(butterfly_topology(1).mzi_count() == 0);
  CHECK(butterfly_topology(2) == clements_topology(2));
  const MeshTopology t = butterfly_topology(8);
  const std::vector<PortPair> expected = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3},
                                          {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
  CHECK(t.mzis == expected);
  CHECK(t.column_begin == std::vector<int>{0, 4, 8, 12});
  for (const int n : {16, 64, 1024}) {
    const MeshTopology b = butterfly_topology(n);
    validate_topology(b);
    CHECK(b.columns() == std::lround(std::log2(n)));
    CHECK(2 * b.mzi_count() == n * b.columns());
  }
  for (const int bad : {0, -8, 3, 12, 65537}) CHECK_THROWS_AS(butterfly_topology(bad), Error);
  CHECK_THROWS_WITH(butterfly_topology(12), ContainsSubstring("power of two"));
}

namespace {

/// DFT of N inputs in bit-reversed order, exp(-2 pi i j k / N) / sqrt(N): a butterfly's own matrix.
Matrix fourier(int n) {
  Matrix f(n, n);
  for (int column = 0; column < n; ++column) {
    int reversed = 0;
    for (int bit = 1, mirror = n / 2; mirror > 0; bit *= 2, mirror /= 2)
      if (column & bit) reversed |= mirror;
    for (int row = 0; row < n; ++row)
      f(row, column) = std::polar(1 / std::sqrt(n), -2 * pi * row * reversed / n);
  }
  return f;
}

/// Best of a few random starts.
FittedProgram fitted(const MeshTopology& t, const MeshErrors& e, const Matrix& target, int starts) {
  FittedProgram best;
  best.error = INFINITY;
  for (int start = 0; start < starts && best.error > 1e-8; ++start) {
    Stream s = test_stream(620, static_cast<std::uint32_t>(start));
    const FittedProgram f = fit_program(t, e, target, random_program(t, s), {2000, 1e-9, 20});
    if (f.error < best.error) best = f;
  }
  return best;
}

}  // namespace

// Fails when the gradient's sign or one of its parts is wrong (the fit then stops early), or phi of a stride is
// lost
TEST_CASE("butterfly: phases of the fast Fourier transform are found by gradient") {
  for (const int n : {2, 4, 8}) {
    CAPTURE(n);
    const MeshTopology t = butterfly_topology(n);
    const FittedProgram f = fitted(t, no_errors(t), fourier(n), 20);
    CAPTURE(f.error, f.steps);
    CHECK(f.error < 1e-8);
    CHECK(frobenius_error(reference_transfer_matrix(t, f.program, no_errors(t)), fourier(n)) < 1e-8);
  }
}

// Fails when errors are left out of the fit: it would then stop at about their size
TEST_CASE("butterfly: a program of its own is found again, known splitter errors are fitted away") {
  Stream s = test_stream(621);
  const MeshTopology t = butterfly_topology(8);
  const Matrix own = reference_transfer_matrix(t, random_program(t, s), no_errors(t));
  CHECK(fitted(t, no_errors(t), own, 20).error < 1e-8);
  // Clements: start from the decomposition, which errs by E0 = sigma sqrt(2(N-1)); the fit finds the rest
  const MeshTopology rectangle = clements_topology(6);
  const Matrix u = haar_unitary(6, s);
  MeshErrors e = no_errors(rectangle);
  e.alpha = normal_vector(15, 0.02, s);
  e.beta = normal_vector(15, 0.02, s);
  const MeshProgram start = decompose_clements(u);
  CHECK(frobenius_error(reference_transfer_matrix(rectangle, start, e), u) > 0.02);
  CHECK(fit_program(rectangle, e, u, start, {2000, 1e-9, 20}).error < 1e-8);
}

// Fails when a size is not looked at
TEST_CASE("blocks: sizes of another mesh are refused") {
  const MeshTopology t = clements_topology(4);
  Stream s = test_stream(622);
  const MeshProgram p = random_program(t, s), other = random_program(clements_topology(5), s);
  MeshVariantErrors e = no_variant_errors(t);
  CHECK_THROWS_WITH(mesh_blocks(t, other, no_errors(t)),
                    ContainsSubstring("10 values") && ContainsSubstring("6 MZIs"));
  e.gamma.conservativeResize(5);
  CHECK_THROWS_WITH(mesh_blocks(t, MziKind::balanced, p, e), ContainsSubstring("gamma"));
  const Vector zero = Vector::Zero(6);
  CHECK_THROWS_WITH(program_blocks(t, MziKind::real, p, {zero, zero, Vector::Zero(3)}),
                    ContainsSubstring("gamma"));
  CHECK_THROWS_WITH(fit_program(t, no_errors(t), Matrix::Identity(5, 5), p), ContainsSubstring("5 x 5"));
  CHECK_THROWS_AS(decompose(MziKind::real, Matrix::Ones(3, 3)), Error);
}
