#include "physics/mesh/mesh_tangent.hpp"

#include <cmath>

#include "physics/core/check.hpp"

namespace optinc {
namespace {

/// dT of MZI k.
Matrix2 mzi_change(const MziDerivatives& d, const MeshGradient& change, int k) {
  return change.theta[k] * d.theta + change.phi[k] * d.phi + change.alpha[k] * d.alpha +
         change.beta[k] * d.beta + change.theta_arm_loss_db[k] * d.theta_arm_loss_db +
         change.phi_arm_loss_db[k] * d.phi_arm_loss_db + change.theta_other_loss_db[k] * d.theta_other_loss_db +
         change.phi_other_loss_db[k] * d.phi_other_loss_db;
}

/// t times the fields of two ports, row by row.
Eigen::RowVectorXcd through(const Matrix2& t, int row, const Matrix& fields, const PortPair& ports) {
  return t(row, 0) * fields.row(ports.upper) + t(row, 1) * fields.row(ports.lower);
}

}  // namespace

Matrix mesh_tangent(const MeshTopology& topology, const MeshProgram& program, const MeshErrors& errors,
                    const Matrix& fields, const MeshGradient& change, const Matrix& field_change) {
  validate(
      fields.rows() == topology.ports && field_change.rows() == fields.rows() &&
          field_change.cols() == fields.cols(),
      "fields ({}, {}) and their change ({}, {}) at a mesh of {} ports (both are (ports, words)). Give one row "
      "per port.",
      fields.rows(), fields.cols(), field_change.rows(), field_change.cols(), topology.ports);
  const double idle = column_field_factor(errors);
  const double idle_change = -std::log(10.0) / 20 * 2 * idle * change.idle_arm_loss_db;  // two arm stages
  Matrix y = fields, dy = field_change;
  int k = 0;
  for (int c = 0; c < topology.columns(); ++c) {
    Matrix behind = idle * y, change_behind = idle * dy + idle_change * y;
    for (const PortPair& ports : topology.column(c)) {
      const Matrix2 t = mzi(program.mzi(k), errors.mzi(k));
      const Matrix2 dt = mzi_change(mzi_derivatives(program.mzi(k), errors.mzi(k)), change, k);
      for (const auto& [port, row] : {std::pair(ports.upper, 0), std::pair(ports.lower, 1)}) {
        behind.row(port) = through(t, row, y, ports);
        change_behind.row(port) = through(t, row, dy, ports) + through(dt, row, y, ports);
      }
      ++k;
    }
    y.swap(behind);
    dy.swap(change_behind);
  }
  for (int p = 0; p < topology.ports; ++p)
    dy.row(p) = std::polar(1.0, program.output_phase[p] + errors.output_offset[p]) *
                (dy.row(p) + Complex(0, change.output_phase[p]) * y.row(p));
  return dy;
}

}  // namespace optinc
