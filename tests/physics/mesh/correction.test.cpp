// The vectorised correction against the one-by-one reference. What it does to errors is held by the laws.

#include "physics/mesh/correction.hpp"

#include <limits>

#include "physics/core/check.hpp"
#include "physics/mesh/decomposition.hpp"
#include "physics/mesh/reference_correction.hpp"
#include "physics/mesh/reference_mesh.hpp"
#include "physics/random/haar.hpp"
#include "physics/variation/chip_errors.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/simd.hpp"

using namespace optinc;
using namespace optinc::testing;

namespace {

struct Case {
  MeshTopology topology;
  MeshProgram program;
  MeshErrors errors;
};

/// Haar targets and splitters of 0.1 rad: at N = 17 about every fifth MZI is clipped.
Case haar_case(int n, bool reck) {
  Stream s = test_stream(31, static_cast<std::uint32_t>(n));
  const Matrix u = haar_unitary(n, s);
  const MeshTopology t = reck ? reck_topology(n) : clements_topology(n);
  return {t, (reck ? decompose_reck(u) : decompose_clements(u)).cast<float>().cast<double>(),
          random_errors(t, 0.1, s).cast<float>().cast<double>()};
}

template <class Real>
CorrectedProgram fast(const Case& c, Clipping clipping) {
  CorrectedProgramOf<Real> corrected;
  correct_splitters<Real>(mesh_layout(c.topology), c.program.cast<Real>(), c.errors.alpha.cast<Real>(),
                          c.errors.beta.cast<Real>(), clipping, corrected);
  return {corrected.program.template cast<double>(), corrected.clipped};
}

bool in_one_turn(const Vector& phases) {
  return phases.size() == 0 || (phases.minCoeff() >= 0.0 && phases.maxCoeff() < 2 * constants::pi + 1e-6);
}

}  // namespace

// The phase of a field that is zero is anybody's choice, so what the phases do is compared, not the phases: the
// transfer matrix on the same splitters. Fails when an idle port's owed phase is lost, or psi turns the other
// way
TEST_CASE("the vectorised correction makes the same mesh as the reference, on every SIMD target") {
  on_every_target([] {
    for (const int n : {1, 2, 3, 8, 17, 40})
      for (const bool reck : {false, true})
        for (const auto clipping : {Clipping::nearest, Clipping::quadrature}) {
          const Case c = haar_case(n, reck);
          CAPTURE(n, reck, static_cast<int>(clipping));
          const CorrectedProgram slow =
              reference_correct_splitters(c.topology, c.program, c.errors.alpha, c.errors.beta, clipping);
          const Matrix expected = reference_transfer_matrix(c.topology, slow.program, c.errors);
          const auto check = [&](const CorrectedProgram& got, double tolerance) {
            CHECK(got.clipped == slow.clipped);
            CHECK(max_abs(reference_transfer_matrix(c.topology, got.program, c.errors) - expected) < tolerance);
            CHECK(in_one_turn(got.program.theta));
            CHECK(in_one_turn(got.program.phi));
            CHECK(in_one_turn(got.program.output_phase));
          };
          check(fast<double>(c, clipping), 2e-14 * (n + 8));
          check(fast<float>(c, clipping), 4e-6 * (n + 8));
        }
  });
}

TEST_CASE("all bar, all cross and perfect splitters are corrected without a NaN") {
  for (const double theta : {0.0, constants::pi, 1.0})
    for (const double sigma : {0.0, 0.05}) {
      const MeshTopology t = clements_topology(9);
      Stream s = test_stream(32);
      MeshProgram p{Vector::Constant(36, theta), Vector::Zero(36), Vector::Zero(9)};
      const MeshErrors e = random_errors(t, sigma, s);
      const CorrectedProgram slow = reference_correct_splitters(t, p, e.alpha, e.beta);
      const CorrectedProgram quick = correct_splitters(t, p, e.alpha, e.beta);
      CAPTURE(theta, sigma);
      CHECK(max_abs(reference_transfer_matrix(t, quick.program, e) -
                    reference_transfer_matrix(t, slow.program, e)) <
            1e-7);  // asin near 1 loses half of the digits, in both
    }
}

TEST_CASE("a correction of another mesh is refused") {
  const Case c = haar_case(5, false);
  CHECK_THROWS_WITH(correct_splitters(clements_topology(4), c.program, c.errors.alpha, c.errors.beta),
                    ContainsSubstring("10 phases") && ContainsSubstring("6 MZIs"));
}

// Fails when it is carried on to the output: a DAC would render it as 0.
TEST_CASE("an output phase that is not finite is refused") {
  Case c = haar_case(5, false);
  c.program.output_phase[4] = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_WITH(correct_splitters(c.topology, c.program, c.errors.alpha, c.errors.beta),
                    ContainsSubstring("output_phase of port 4 is nan"));
}

// the same normals in float: to 1e-6 of sigma times the largest, 6.8. Fails when the float draws take another
// stream, or a source that is off moves another
TEST_CASE("errors drawn in float are those drawn in double, rounded") {
  const MeshTopology t = clements_topology(33);
  const MeshErrors wide = draw_mesh_errors(t, error_preset("doped-heaters"), {5, 6, 7});
  MeshErrorsOf<float> narrow;
  draw_mesh_errors(t, error_preset("doped-heaters"), {5, 6, 7}, narrow);
  const MeshErrors got = narrow.cast<double>();
  CHECK((got.alpha - wide.alpha).cwiseAbs().maxCoeff() < 1e-7);
  CHECK((got.beta - wide.beta).cwiseAbs().maxCoeff() < 1e-7);
  CHECK((got.theta_offset - wide.theta_offset).cwiseAbs().maxCoeff() < 1e-7);
  CHECK((got.output_offset - wide.output_offset).cwiseAbs().maxCoeff() < 1e-7);
  CHECK((got.phi_arm_loss_db - wide.phi_arm_loss_db).cwiseAbs().maxCoeff() < 1e-6);
  ErrorModel quiet = error_preset("doped-heaters");
  quiet.sigma_phase_rad = 0.0;
  const MeshErrors without = draw_mesh_errors(t, quiet, {5, 6, 7});
  CHECK(without.alpha == wide.alpha);
  CHECK(without.theta_arm_loss_db == wide.theta_arm_loss_db);
  CHECK(without.theta_offset != wide.theta_offset);
}
