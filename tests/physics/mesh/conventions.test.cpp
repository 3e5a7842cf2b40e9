// Phases in the words of other packages: each rebuilt from the package's own 2x2 definition, written out here.

#include "physics/mesh/conventions.hpp"

#include "physics/core/check.hpp"
#include "physics/mesh/decomposition.hpp"
#include "physics/mesh/reference_mesh.hpp"
#include "physics/random/haar.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/plain_matrices.hpp"

using namespace optinc;
using namespace optinc::testing;

namespace {

Complex e(double phase) { return std::polar(1.0, phase); }

/// Clements 2016 eq. 1, interferometer's Beamsplitter and strawberryfields' T.
Matrix2 clements_t(double theta, double phi) {
  return matrix2(e(phi) * std::cos(theta), -std::sin(theta), e(phi) * std::sin(theta), std::cos(theta));
}

/// strawberryfields' Rgate(phi) on the first mode, then BSgate(theta, 0).
Matrix2 rgate_bsgate(double theta, double phi) {
  return matrix2(std::cos(theta), -std::sin(theta), std::sin(theta), std::cos(theta)) *
         matrix2(e(phi), 0, 0, 1);
}

/// strawberryfields' MZgate(phi_in, phi_ex).
Matrix2 mzgate(double in, double ex) {
  return 0.5 * matrix2((e(in) - 1.0) * e(ex), i * (1.0 + e(in)), i * (1.0 + e(in)) * e(ex), 1.0 - e(in));
}

/// Perceval: BS() is Rx(pi/2); what stands first in a // chain acts first.
const Matrix2 bs = std::sqrt(0.5) * matrix2(1, i, i, 1);
Matrix2 phase_first(double phi_b, double phi_a) {
  return bs * matrix2(e(phi_b), 0, 0, 1) * bs * matrix2(e(phi_a), 0, 0, 1);
}
Matrix2 phase_last(double phi_a, double phi_b) {
  return matrix2(1, 0, 0, e(phi_b)) * bs * matrix2(1, 0, 0, e(phi_a)) * bs;
}

/// neurophox' get_mzi_transfer_matrix() without errors, basis "bloch"; it acts on rows.
Matrix2 neurophox_matrix(double theta, double phi, bool hadamard) {
  const Complex u = e(theta / 2), l = e(-theta / 2), x = e(phi);
  if (hadamard) return 0.5 * matrix2((u + l) * x, u - l, (u - l) * x, u + l);
  return 0.5 * matrix2((u - l) * x, i * (u + l), i * (u + l) * x, l - u);
}

using Block = Matrix2 (*)(double, double);
struct Package {
  PhaseConvention convention;
  const char* name;
  Block block;
  bool screen_first;
  double most_theta;
};

const Package packages[] = {
    {PhaseConvention::clements, "clements", &clements_t, false, pi / 2},
    {PhaseConvention::interferometer, "interferometer", &clements_t, false, pi / 2},
    {PhaseConvention::strawberryfields, "strawberryfields", &rgate_bsgate, false, pi / 2},
    {PhaseConvention::strawberryfields_mzgate, "strawberryfields-mzgate", &mzgate, false, pi},
    {PhaseConvention::perceval_phase_first, "perceval-phase-first", &phase_first, false, pi},
    {PhaseConvention::perceval_phase_last, "perceval-phase-last", &phase_last, true, pi},
    {PhaseConvention::neurophox, "neurophox",
     [](double t, double p) { return Matrix2(neurophox_matrix(t, p, false).transpose()); }, true, pi},
    {PhaseConvention::neurophox_hadamard, "neurophox-hadamard",
     [](double t, double p) { return Matrix2(neurophox_matrix(t, p, true).transpose()); }, true, pi}};

/// The transfer matrix as the package would build it.
Matrix rebuilt(const MeshTopology& t, const ConventionProgram& p, const Package& package) {
  Matrix u = Matrix::Identity(t.ports, t.ports);
  const auto screen = [&] {
    for (int port = 0; port < t.ports; ++port) u.row(port) *= e(p.screen[port]);
  };
  if (package.screen_first) screen();
  for (int k = 0; k < t.mzi_count(); ++k) {
    const auto [upper, lower] = t.mzis[static_cast<std::size_t>(k)];
    const Matrix2 b = package.block(p.theta[k], p.phi[k]);
    Matrix two(2, t.ports);
    two << u.row(upper), u.row(lower);
    two = (b * two).eval();
    u.row(upper) = two.row(0);
    u.row(lower) = two.row(1);
  }
  if (!package.screen_first) screen();
  return u;
}

}  // namespace

// Fails when phi sits on the other arm or side, or a formula has another sign
TEST_CASE("conventions: blocks are the packages' own 2x2 matrices") {
  Stream s = test_stream(641);
  for (const Package& package : packages)
    for (int draw = 0; draw < 50; ++draw) {
      const double theta = 7 * s.uniform(), phi = 7 * s.uniform();
      CAPTURE(package.name, theta, phi);
      REQUIRE(max_abs(convention_block(package.convention, theta, phi) - package.block(theta, phi)) < 1e-14);
      REQUIRE(screen_at_inputs(package.convention) == package.screen_first);
    }
}

// Fails when phases are carried the wrong way, a screen is forgotten, or blocks are walked in the wrong order
TEST_CASE("conventions: a whole program rebuilt in the package's words is the same matrix, and comes back") {
  for (const int n : {1, 2, 3, 6, 9, 32})
    for (const bool triangle : {false, true}) {
      Stream s = test_stream(642, static_cast<std::uint32_t>(n));
      const Matrix u = haar_unitary(n, s);
      const MeshTopology t = triangle ? reck_topology(n) : clements_topology(n);
      const MeshProgram p = triangle ? decompose_reck(u) : decompose_clements(u);
      for (const Package& package : packages) {
        CAPTURE(n, triangle, package.name);
        const ConventionProgram theirs = to_convention(t, p, package.convention);
        CHECK(max_abs(rebuilt(t, theirs, package) - u) < 1e-12);
        if (t.mzi_count() > 0) {
          CHECK((theirs.theta.minCoeff() >= 0 && theirs.theta.maxCoeff() <= package.most_theta));
          CHECK((theirs.phi.minCoeff() >= 0 && theirs.phi.maxCoeff() < 2 * pi));
        }
        const MeshProgram back = from_convention(t, theirs, package.convention);
        CHECK(max_abs(reference_transfer_matrix(t, back, no_errors(t)) - u) < 1e-12);
        if (t.mzi_count() > 0) CHECK((back.theta - p.theta).cwiseAbs().maxCoeff() < 1e-12);
      }
    }
}

// Phases as a package may give them, outside the ranges of ours, and from one package to another
TEST_CASE("conventions: any phases of one package become those of every other") {
  Stream s = test_stream(643);
  const MeshTopology t = clements_topology(7);
  for (const Package& from : packages) {
    ConventionProgram p{uniform_phases(t.mzi_count(), s), uniform_phases(t.mzi_count(), s),
                        uniform_phases(t.ports, s)};
    p.theta.array() -= pi;
    p.theta[4] = 0.0;  // blocks with a dark side
    p.theta[9] = from.most_theta;
    const Matrix u = rebuilt(t, p, from);
    CHECK(max_abs(reference_transfer_matrix(t, from_convention(t, p, from.convention), no_errors(t)) - u) <
          1e-12);
    for (const Package& to : packages) {
      CAPTURE(from.name, to.name);
      CHECK(max_abs(rebuilt(t, convert_program(t, p, from.convention, to.convention), to) - u) < 1e-12);
    }
  }
}

// The map of one block typed out (Clements et al., Optica 3, 1460, 2016, eq. 1). Fails when the common phase or
// the pi is lost
TEST_CASE("conventions: T(theta, phi) = -i e^{i theta/2} T_Clements(pi/2 - theta/2, phi + pi)") {
  const MeshTopology t = clements_topology(2);
  MeshProgram p{Vector::Constant(1, 0.7), Vector::Constant(1, 2.0), Vector::Zero(2)};
  const ConventionProgram c = to_convention(t, p, PhaseConvention::clements);
  CHECK(c.theta[0] == Approx(pi / 2 - 0.35).epsilon(1e-14));
  CHECK(c.phi[0] == Approx(2.0 + pi).epsilon(1e-14));
  CHECK(c.screen[0] == Approx(0.35 + 1.5 * pi).epsilon(1e-14));
  CHECK(c.screen[1] == Approx(0.35 + 1.5 * pi).epsilon(1e-14));
  for (const auto same : {PhaseConvention::optinc, PhaseConvention::strawberryfields_mzgate,
                          PhaseConvention::perceval_phase_first}) {
    const ConventionProgram ours = to_convention(t, p, same);
    CHECK(ours.theta[0] == Approx(0.7).epsilon(1e-14));
    CHECK(ours.phi[0] == Approx(2.0).epsilon(1e-14));
  }
}

// Fails when the names lose their order
TEST_CASE("conventions: names, and what is refused") {
  CHECK(names_of<PhaseConvention>().size() == 9);
  CHECK(value_of_name<PhaseConvention>("optinc") == PhaseConvention::optinc);
  for (const Package& package : packages)
    CHECK(value_of_name<PhaseConvention>(package.name) == package.convention);
  CHECK_THROWS_WITH(value_of_name<PhaseConvention>("neurofox"), ContainsSubstring("\"neurophox\""));
  const MeshTopology t = clements_topology(4);
  CHECK_THROWS_WITH(convert_program(t, {Vector::Zero(6), Vector::Zero(5), Vector::Zero(4)},
                                    PhaseConvention::optinc, PhaseConvention::clements),
                    ContainsSubstring("5 phi") && ContainsSubstring("6 blocks"));
}
