// Reverse mode against finite differences of the reference mesh, for every kind of parameter.

#include "physics/mesh/mesh_gradient.hpp"

#include <functional>

#include "physics/core/check.hpp"
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
