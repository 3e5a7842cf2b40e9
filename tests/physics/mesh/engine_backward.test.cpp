// The engine's reverse mode against the slow one, which finite differences hold (mesh_gradient.test.cpp).

#include "physics/core/check.hpp"
#include "physics/mesh/engine/mesh_engine.hpp"
#include "physics/mesh/mesh_gradient.hpp"
#include "physics/mesh/reference_mesh.hpp"
#include "physics/simd/detail/targets.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/simd.hpp"

using namespace optinc;
using namespace optinc::testing;

namespace {

struct Problem {
  MeshTopology topology;
  MeshProgram program;
  MeshErrors errors;
  Matrix inputs, gradient;
};

/// Random phases, splitters of 0.1 rad, arms of 0..1 dB (or none), random fields and gradients of unit
/// variance; what float can hold of them, so that both precisions are given the same.
Problem problem(const MeshTopology& t, int words, bool lossy) {
  Stream s = test_stream(77, static_cast<std::uint32_t>(t.ports));
  Problem p{t, random_program(t, s), lossy ? random_lossy_errors(t, 0.1, s) : random_errors(t, 0.1, s),
            random_fields(t.ports, words, s), random_fields(t.ports, words, s)};
  p.program = p.program.cast<float>().cast<double>();
  p.errors = p.errors.cast<float>().cast<double>();
  return p;
}

struct Answer {
  MeshGradient parameters;
  Matrix fields;
  BackwardResult<double> how;
};

template <class Real>
Answer by_engine(const Problem& p, const BackwardOptions& options = {}, int threads = 1) {
  MeshEngine<Real> engine(p.topology, MeshPath::direct);
  engine.settle(p.program.cast<Real>(), p.errors.cast<Real>(), true);
  const FieldBatchOf<Real> inputs(p.inputs);
  FieldBatchOf<Real> outputs = inputs, gradient(p.gradient);
  engine.propagate(outputs);
  const BackwardResult<Real> r = engine.backward(inputs, outputs, gradient, threads, options);
  const auto wide = [](const VectorOf<Real>& v) -> Vector { return v.template cast<double>(); };
  const auto& g = r.parameters;
  return {{wide(g.theta), wide(g.phi), wide(g.alpha), wide(g.beta), wide(g.theta_arm_loss_db),
           wide(g.phi_arm_loss_db), wide(g.theta_other_loss_db), wide(g.phi_other_loss_db),
           wide(g.output_phase), static_cast<double>(g.idle_arm_loss_db)},
          gradient.complex(),
          {{}, r.compressed, r.inverted, r.inversion_error}};
}

double largest(const Vector& v) { return max_abs(v); }

/// Checks every kind of parameter and the input fields, relative to the largest derivative of its kind.
void check_equal(const Answer& a, const ReferenceGradient& expected, double tolerance) {
  const auto check = [&](const char* kind, const Vector& got, const Vector& wanted) {
    INFO(kind);
    REQUIRE(got.size() == wanted.size());
    CHECK(largest(got - wanted) <= tolerance * largest(wanted));
  };
  check("theta", a.parameters.theta, expected.theta);
  check("phi", a.parameters.phi, expected.phi);
  check("alpha", a.parameters.alpha, expected.alpha);
  check("beta", a.parameters.beta, expected.beta);
  check("theta arm loss", a.parameters.theta_arm_loss_db, expected.theta_arm_loss_db);
  check("phi arm loss", a.parameters.phi_arm_loss_db, expected.phi_arm_loss_db);
  check("theta other loss", a.parameters.theta_other_loss_db, expected.theta_other_loss_db);
  check("phi other loss", a.parameters.phi_other_loss_db, expected.phi_other_loss_db);
  check("output phase", a.parameters.output_phase, expected.output_phase);
  // a sum over all idle ports, whose terms cancel: relative to what one word makes of it
  const double words = static_cast<double>(expected.fields.cols());
  CHECK(std::abs(a.parameters.idle_arm_loss_db - expected.idle_arm_loss_db) <=
        tolerance *
            (std::abs(expected.idle_arm_loss_db) + words * static_cast<double>(expected.fields.rows())));
  CHECK(max_abs(a.fields - expected.fields) <= tolerance * max_abs(expected.fields));
}

ReferenceGradient by_reference(const Problem& p) {
  return reference_mesh_gradient(p.topology, p.program, p.errors, p.inputs, p.gradient);
}

}  // namespace

// Rounding grows with the columns: 64 eps (columns + 8) of the largest derivative. Fails when the cross pivot's
// Gram sums are not exchanged, when an idle port's scale is left out, when the rescaling of the adjoint is that
// of the field, or when the screen is not undone
TEST_CASE("the inverse sweep is the reference gradient for every topology, size, loss and SIMD target") {
  std::vector<MeshTopology> topologies = {butterfly_topology(8)};
  for (const int n : {1, 2, 3, 8, 17, 40}) topologies.push_back(clements_topology(n));
  for (const int n : {2, 5, 16}) topologies.push_back(reck_topology(n));
  for (const bool lossy : {false, true})
    for (const auto& t : topologies)
      for (const int words : {1, 33}) {
        const Problem p = problem(t, words, lossy);
        const ReferenceGradient expected = by_reference(p);
        for (const auto& target : simd_targets()) {
          use_simd_target(target);
          CAPTURE(target, lossy, t.ports, t.columns(), words);
          const BackwardOptions plain = {.compress = false};
          const Answer wide = by_engine<double>(p, plain), narrow = by_engine<float>(p, plain);
          CHECK(wide.how.inverted);
          CHECK(narrow.how.inverted);
          check_equal(wide, expected, 64 * 2.2e-16 * (t.columns() + 8));
          check_equal(narrow, expected, 64 * 1.2e-7 * (t.columns() + 8));
        }
        use_simd_target("");
      }
}

// fails when M is not conjugated, or when the gradient of the inputs is left as it was
TEST_CASE("many words are compressed to as many as there are ports, with the same gradient") {
  for (const int n : {3, 16}) {
    const Problem p = problem(clements_topology(n), 200, true);
    const ReferenceGradient expected = by_reference(p);
    const Answer wide = by_engine<double>(p), narrow = by_engine<float>(p);
    CHECK(wide.how.compressed);
    check_equal(wide, expected, 1e-13 * (n + 8));
    check_equal(narrow, expected, 1e-5 * (n + 8));
    CHECK_FALSE(by_engine<double>(p, {.compress = false}).how.compressed);
  }
  CHECK_FALSE(by_engine<double>(problem(clements_topology(8), 16, true)).how.compressed);
}

// fails when a segment starts one column late, or when the idle ports of the checkpoint path lose nothing
TEST_CASE("checkpoints give the same gradient without inverting") {
  for (const auto& t : {clements_topology(2), clements_topology(17), reck_topology(9), butterfly_topology(8)})
    for (const int words : {1, 70}) {
      const Problem p = problem(t, words, true);
      const Answer a = by_engine<double>(p, {.compress = false, .invert = false});
      CHECK_FALSE(a.how.inverted);
      check_equal(a, by_reference(p), 1e-13 * (t.columns() + 8));
      check_equal(by_engine<float>(p, {.compress = false, .invert = false}), by_reference(p), 2e-5);
    }
}

// 30 dB in one arm of each MZI: inverting multiplies rounding at every column. Fails when the guard is taken
// out
TEST_CASE("a mesh too lossy to invert is computed from checkpoints, by itself") {
  Problem p = problem(clements_topology(32), 20, false);
  for (Eigen::Index k = 0; k < p.errors.theta_arm_loss_db.size(); ++k)
    p.errors.theta_arm_loss_db[k] = k % 3 == 0 ? 30.0 : 0.0;
  const ReferenceGradient expected = by_reference(p);
  const Answer wide = by_engine<double>(p), narrow = by_engine<float>(p);
  CHECK_FALSE(wide.how.inverted);
  CHECK_FALSE(narrow.how.inverted);
  check_equal(wide, expected, 1e-11);
  check_equal(narrow, expected, 1e-4);

  Problem dark = problem(clements_topology(6), 5, false);  // one arm dark: nothing there can be inverted
  dark.errors.theta_arm_loss_db[4] = 1e4;
  const Answer at_dark = by_engine<double>(dark);
  CHECK_FALSE(at_dark.how.inverted);
  check_equal(at_dark, by_reference(dark), 1e-12);
}

TEST_CASE("gradients do not depend on the threads") {
  const Problem p = problem(clements_topology(12), 3000, true);
  for (const bool compress : {false, true}) {
    const Answer one = by_engine<float>(p, {.compress = compress}),
                 three = by_engine<float>(p, {.compress = compress}, 3);
    CHECK(one.parameters.theta == three.parameters.theta);
    CHECK(one.parameters.output_phase == three.parameters.output_phase);
    CHECK(one.parameters.idle_arm_loss_db == three.parameters.idle_arm_loss_db);
    CHECK(one.fields == three.fields);
  }
}

TEST_CASE("backward refuses what does not belong together") {
  const Problem p = problem(clements_topology(4), 8, false);
  MeshEngine<double> engine(p.topology);
  FieldBatch eight(4, 8), nine(4, 9), five(5, 8);
  CHECK_THROWS_WITH(engine.backward(eight, eight, nine), ContainsSubstring("for_backward"));
  engine.settle(p.program, p.errors);
  CHECK_THROWS_WITH(engine.backward(eight, eight, nine), ContainsSubstring("for_backward"));
  engine.settle(p.program, p.errors, true);
  CHECK_THROWS_WITH(engine.backward(eight, eight, nine),
                    ContainsSubstring("8 words") && ContainsSubstring("of 9"));
  CHECK_THROWS_WITH(engine.backward(eight, five, eight), ContainsSubstring("5 ports"));
  FieldBlocks<double> blocks(4, 8);
  FieldBlocks<double> others(4, 8);
  CHECK_THROWS_WITH(engine.backward(others, others, blocks, blocks), ContainsSubstring("another object"));
  CHECK_THROWS_WITH(engine.backward(blocks, others, others, blocks), ContainsSubstring("another object"));
  CHECK_THROWS_WITH(engine.backward(others, blocks, others, blocks), ContainsSubstring("another object"));
}

// Fails when a finite error that follows replaces the NaN
TEST_CASE("a field that is no number is never taken for a good inversion") {
  const Problem p = problem(clements_topology(8), 40, false);
  on_every_target([&] {
    for (const Eigen::Index word : {0, 17, 39}) {
      Stream s = test_stream(9);
      FieldBatch inputs(random_fields(8, 40, s));
      inputs.re(3, word) = std::nan("");
      MeshEngine<double> engine(p.topology);
      engine.settle(p.program, p.errors, true);
      FieldBatch outputs = inputs, gradient = inputs;
      engine.propagate(outputs);
      const auto result = engine.backward(inputs, outputs, gradient, 1, {.compress = false});
      CHECK_FALSE(result.inverted);
      CHECK(std::isnan(result.inversion_error));
    }
  });
}
