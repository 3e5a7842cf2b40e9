// Reverse mode against finite differences of the reference mesh, for every kind of parameter.

#include "physics/mesh/mesh_gradient.hpp"

#include <functional>

#include "physics/core/check.hpp"
#include "physics/mesh/mesh_tangent.hpp"
#include "physics/mesh/reference_mesh.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"

using namespace optinc;
using namespace optinc::testing;

namespace {

/// A loss that is curved in every field: sum over ports and words of w |a - t|^4 / 4, and its gradient.
struct Loss {
  Matrix target;
  Eigen::MatrixXd weight;

  double value(const Matrix& out) const {
    return (weight.array() * (out - target).cwiseAbs2().array().square()).sum() / 4;
  }
  Matrix gradient(const Matrix& out) const {
    const Matrix d = out - target;
    return (weight.array() * d.cwiseAbs2().array()).cast<Complex>() * d.array();
  }
};

struct Problem {
  MeshTopology topology;
  MeshProgram program;
  MeshErrors errors;
  Matrix fields;
  Loss loss;

  double value() const { return loss.value(reference_transfer_matrix(topology, program, errors) * fields); }
  ReferenceGradient gradient() const {
    const Matrix out = reference_transfer_matrix(topology, program, errors) * fields;
    return reference_mesh_gradient(topology, program, errors, fields, loss.gradient(out));
  }
};

Problem problem(const MeshTopology& topology, std::uint64_t seed) {
  Stream s = test_stream(seed, static_cast<std::uint32_t>(topology.ports));
  const int words = 5;
  Problem p{topology,
            random_program(topology, s),
            random_lossy_errors(topology, 0.1, s),
            random_fields(topology.ports, words, s),
            {}};
  p.loss.target = random_fields(topology.ports, words, s);
  p.loss.weight = Eigen::MatrixXd::NullaryExpr(topology.ports, words, [&] { return 0.5 + s.uniform(); });
  return p;
}

/// Central difference of the loss in one number of the problem: error h^2 times the third derivative over 6,
/// and rounding eps L / h, both below 1e-8 for h = 1e-5 and losses of some hundreds.
double difference(Problem& p, double& parameter) {
  const double h = 1e-5, at = parameter;
  parameter = at + h;
  const double above = p.value();
  parameter = at - h;
  const double below = p.value();
  parameter = at;
  return (above - below) / (2 * h);
}

void check_vector(Problem& p, Vector& parameters, const Vector& gradient, double scale) {
  REQUIRE(parameters.size() == gradient.size());
  for (Eigen::Index k = 0; k < parameters.size(); ++k) {
    CAPTURE(k);
    CHECK(gradient[k] == Approx(difference(p, parameters[k])).margin(1e-7 * scale));
  }
}

}  // namespace

// fails when a derivative of mzi_derivatives loses its sign or its place, when the adjoint is not conjugated,
// and when idle waveguides are forgotten (an odd number of ports has one in every column)
TEST_CASE(
    "the reverse sweep is the finite difference for every kind of parameter, lossy meshes of all wirings") {
  const std::uint64_t seed = 700;
  for (const MeshTopology& topology :
       {clements_topology(5), clements_topology(6), reck_topology(4), clements_topology(1)}) {
    CAPTURE(seed, topology.ports, topology.columns());
    Problem p = problem(topology, seed);
    const ReferenceGradient g = p.gradient();
    const double scale = 1 + p.value();
    check_vector(p, p.program.theta, g.theta, scale);
    check_vector(p, p.program.phi, g.phi, scale);
    check_vector(p, p.program.output_phase, g.output_phase, scale);
    check_vector(p, p.errors.theta_offset, g.theta, scale);
    check_vector(p, p.errors.alpha, g.alpha, scale);
    check_vector(p, p.errors.beta, g.beta, scale);
    check_vector(p, p.errors.theta_arm_loss_db, g.theta_arm_loss_db, scale);
    check_vector(p, p.errors.phi_arm_loss_db, g.phi_arm_loss_db, scale);
    check_vector(p, p.errors.theta_other_loss_db, g.theta_other_loss_db, scale);
    check_vector(p, p.errors.phi_other_loss_db, g.phi_other_loss_db, scale);
    CHECK(g.idle_arm_loss_db == Approx(difference(p, p.errors.idle_arm_loss_db)).margin(1e-7 * scale));
    for (Eigen::Index port = 0; port < p.fields.rows(); ++port)
      for (Eigen::Index word = 0; word < p.fields.cols(); ++word) {
        double* parts =
            reinterpret_cast<double*>(&p.fields(port, word));  // std::complex is [re, im] by standard
        CHECK(g.fields(port, word).real() == Approx(difference(p, parts[0])).margin(1e-7 * scale));
        CHECK(g.fields(port, word).imag() == Approx(difference(p, parts[1])).margin(1e-7 * scale));
      }
  }
}

TEST_CASE("a gradient of another shape than the fields is refused") {
  const MeshTopology t = clements_topology(4);
  Stream s = test_stream(701);
  const MeshProgram p = random_program(t, s);
  CHECK_THROWS_WITH(reference_mesh_gradient(t, p, no_errors(t), Matrix::Zero(4, 3), Matrix::Zero(4, 2)),
                    ContainsSubstring("(4, 3)") && ContainsSubstring("(4, 2)"));
  CHECK_THROWS_AS(reference_mesh_gradient(t, p, no_errors(t), Matrix::Zero(3, 3), Matrix::Zero(3, 3)), Error);
}

// Fails when forward mode leaves a kind of parameter out, or is not the transpose of reverse mode, which is
// held against differences above: Re <lambda, dy> = Re <g_x, dx> + <g_p, dp> for any lambda, to rounding.
TEST_CASE("forward mode is the transpose of reverse mode") {
  for (const MeshTopology& topology : {clements_topology(1), clements_topology(5), reck_topology(6)}) {
    Problem p = problem(topology, 7);
    Stream s = test_stream(8, static_cast<std::uint32_t>(topology.ports));
    const auto drawn = [&](Vector& v) { v = v.unaryExpr([&](double) { return s.normal(); }); };
    MeshGradient change = no_gradient(topology);
    for (auto member :
         {&MeshGradient::theta, &MeshGradient::phi, &MeshGradient::alpha, &MeshGradient::beta,
          &MeshGradient::theta_arm_loss_db, &MeshGradient::phi_arm_loss_db, &MeshGradient::theta_other_loss_db,
          &MeshGradient::phi_other_loss_db, &MeshGradient::output_phase})
      drawn(change.*member);
    change.idle_arm_loss_db = s.normal();
    const Matrix dx = random_fields(topology.ports, 5, s), lambda = random_fields(topology.ports, 5, s);
    const ReferenceGradient g = reference_mesh_gradient(topology, p.program, p.errors, p.fields, lambda);
    const Matrix dy = mesh_tangent(topology, p.program, p.errors, p.fields, change, dx);
    const auto dot = [](const Matrix& a, const Matrix& b) {
      return a.conjugate().cwiseProduct(b).sum().real();
    };
    const double wanted =
        dot(g.fields, dx) + g.theta.dot(change.theta) + g.phi.dot(change.phi) + g.alpha.dot(change.alpha) +
        g.beta.dot(change.beta) + g.theta_arm_loss_db.dot(change.theta_arm_loss_db) +
        g.phi_arm_loss_db.dot(change.phi_arm_loss_db) + g.theta_other_loss_db.dot(change.theta_other_loss_db) +
        g.phi_other_loss_db.dot(change.phi_other_loss_db) + g.output_phase.dot(change.output_phase) +
        g.idle_arm_loss_db * change.idle_arm_loss_db;
    CHECK(dot(lambda, dy) == Approx(wanted).epsilon(1e-11));
  }
  const Problem p = problem(clements_topology(3), 9);
  CHECK_THROWS_AS(mesh_tangent(p.topology, p.program, p.errors, Matrix::Zero(3, 2), no_gradient(p.topology),
                               Matrix::Zero(3, 1)),
                  Error);
}
