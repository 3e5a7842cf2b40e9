#include "physics/mesh/mesh_gradient.hpp"

#include <cmath>

#include "physics/core/check.hpp"

namespace optinc {
namespace {

/// Fields of the two ports of an MZI, (2, words).
Matrix at_ports(const Matrix& fields, const PortPair& ports) {
  Matrix two(2, fields.cols());
  two.row(0) = fields.row(ports.upper);
  two.row(1) = fields.row(ports.lower);
  return two;
}

void put_at_ports(Matrix& fields, const PortPair& ports, const Matrix& two) {
  fields.row(ports.upper) = two.row(0);
  fields.row(ports.lower) = two.row(1);
}

int first_of(const MeshTopology& topology, int column) {
  return topology.column_begin[static_cast<std::size_t>(column)];
}

/// Fields behind a column; waveguides it does not touch pass its dummies.
Matrix through_column(const MeshTopology& topology, const MeshProgram& program, const MeshErrors& errors,
                      int column, const Matrix& fields) {
  Matrix behind = column_field_factor(errors) * fields;
  int k = first_of(topology, column);
  for (const PortPair& ports : topology.column(column)) {
    put_at_ports(behind, ports, mzi(program.mzi(k), errors.mzi(k)) * at_ports(fields, ports));
    ++k;
  }
  return behind;
}

}  // namespace

MeshGradient no_gradient(const MeshTopology& topology) {
  const Vector zero = Vector::Zero(topology.mzi_count());
  return {zero, zero, zero, zero, zero, zero, zero, zero, Vector::Zero(topology.ports), 0.0};
}

void add_mzi_gradient(const MziDerivatives& d, const Matrix2& gram, int k, MeshGradient& g) {
  const auto slope = [&](const Matrix2& derivative) { return (derivative * gram).trace().real(); };
  g.theta[k] += slope(d.theta);
  g.phi[k] += slope(d.phi);
  g.alpha[k] += slope(d.alpha);
  g.beta[k] += slope(d.beta);
  g.theta_arm_loss_db[k] += slope(d.theta_arm_loss_db);
  g.phi_arm_loss_db[k] += slope(d.phi_arm_loss_db);
  g.theta_other_loss_db[k] += slope(d.theta_other_loss_db);
  g.phi_other_loss_db[k] += slope(d.phi_other_loss_db);
}

ReferenceGradient reference_mesh_gradient(const MeshTopology& topology, const MeshProgram& program,
                                          const MeshErrors& errors, const Matrix& fields,
                                          const Matrix& gradient) {
  validate(
      fields.rows() == topology.ports && gradient.rows() == topology.ports && fields.cols() == gradient.cols(),
      "fields ({}, {}) and their gradient ({}, {}) at a mesh of {} ports (both are (ports, words)). Give one "
      "row "
      "per port.",
      fields.rows(), fields.cols(), gradient.rows(), gradient.cols(), topology.ports);
  std::vector<Matrix> in_front = {fields};
  for (int c = 0; c < topology.columns(); ++c)
    in_front.push_back(through_column(topology, program, errors, c, in_front.back()));

  ReferenceGradient g{no_gradient(topology), {}};
  const double idle = column_field_factor(errors),
               idle_per_db = -std::log(10.0) / 20 * 2 * idle;  // two arm stages
  Matrix adjoint = gradient;
  for (int p = 0; p < topology.ports; ++p) {
    const Complex screen = std::polar(1.0, program.output_phase[p] + errors.output_offset[p]);
    g.output_phase[p] =
        (adjoint.row(p).conjugate().cwiseProduct(Complex(0, 1) * screen * in_front.back().row(p))).sum().real();
    adjoint.row(p) *= std::conj(screen);
  }
  for (int c = topology.columns() - 1; c >= 0; --c) {
    const Matrix& before = in_front[static_cast<std::size_t>(c)];
    const Matrix behind = adjoint;
    adjoint *= idle;
    std::vector<bool> idles(static_cast<std::size_t>(topology.ports), true);
    int k = first_of(topology, c);
    for (const PortPair& ports : topology.column(c)) {
      const Matrix x = at_ports(before, ports), lambda = at_ports(behind, ports);
      add_mzi_gradient(mzi_derivatives(program.mzi(k), errors.mzi(k)), x * lambda.adjoint(), k, g);
      put_at_ports(adjoint, ports, mzi(program.mzi(k), errors.mzi(k)).adjoint() * lambda);
      idles[static_cast<std::size_t>(ports.upper)] = idles[static_cast<std::size_t>(ports.lower)] = false;
      ++k;
    }
    for (int p = 0; p < topology.ports; ++p)
      if (idles[static_cast<std::size_t>(p)])
        g.idle_arm_loss_db += idle_per_db * behind.row(p).conjugate().cwiseProduct(before.row(p)).sum().real();
  }
  g.fields = adjoint;
  return g;
}

}  // namespace optinc
