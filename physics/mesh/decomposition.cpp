#include "physics/mesh/decomposition.hpp"

#include "physics/core/check.hpp"
#include "physics/core/units.hpp"
#include "physics/devices/phase_shifter.hpp"

namespace optinc {
namespace {

struct PlacedMzi {
  int upper;
  MziSettings settings;
};

/// columns (c, c+1) of u <- u T^H, with T such that u(row, c) becomes 0.
MziSettings null_from_right(Matrix& u, int row, int c) {
  const Complex a = u(row, c), b = u(row, c + 1);
  const MziSettings s = {2 * std::atan2(std::abs(b), std::abs(a)), std::arg(a) - std::arg(b) + constants::pi};
  const Matrix2 t = mzi(s).adjoint();
  u.middleCols<2>(c) = (u.middleCols<2>(c) * t).eval();
  u(row, c) = 0.0;
  return s;
}

/// rows (r-1, r) of u <- T u, with T such that u(r, column) becomes 0.
MziSettings null_from_left(Matrix& u, int r, int column) {
  const Complex a = u(r - 1, column), b = u(r, column);
  const MziSettings s = {2 * std::atan2(std::abs(a), std::abs(b)), std::arg(b) - std::arg(a)};
  const Matrix2 t = mzi(s);
  u.middleRows<2>(r - 1) = (t * u.middleRows<2>(r - 1)).eval();
  u(r, column) = 0.0;
  return s;
}

/// T^H D = D' T': carries the diagonal d (2) behind the inverse of an MZI; returns T' and updates d to D'.
MziSettings push_diagonal(const MziSettings& settings, Complex& d0, Complex& d1) {
  const Matrix2 m = mzi(settings).adjoint() * Eigen::Vector2cd(d0, d1).asDiagonal();
  const MziSettings s = {2 * std::atan2(std::abs(m(0, 0)), std::abs(m(0, 1))),
                         std::arg(m(0, 0)) - std::arg(m(0, 1))};
  const Matrix2 rest = m * mzi(s).adjoint();
  d0 = rest(0, 0) / std::abs(rest(0, 0));
  d1 = rest(1, 1) / std::abs(rest(1, 1));
  return s;
}

/// Puts MZIs given in the order light meets them into the columns of the rectangle.
MeshProgram place(const MeshTopology& topology, std::span<const PlacedMzi> order) {
  MeshProgram program{Vector::Zero(topology.mzi_count()), Vector::Zero(topology.mzi_count()), {}};
  std::vector<int> next_column(static_cast<std::size_t>(topology.ports), 0);
  for (const auto& [upper, settings] : order) {
    const auto u = static_cast<std::size_t>(upper);
    int column = std::max(next_column[u], next_column[u + 1]);
    if (column % 2 != upper % 2) ++column;
    next_column[u] = next_column[u + 1] = column + 1;
    const int k = topology.column_begin[static_cast<std::size_t>(column)] + (upper - column % 2) / 2;
    program.theta[k] = settings.theta;
    program.phi[k] = wrap_phase(settings.phi);
  }
  return program;
}

}  // namespace

MeshProgram decompose_clements(const Matrix& unitary) {
  const int n = static_cast<int>(unitary.rows());
  validate(n >= 1 && unitary.cols() == n,
           "matrix of {} x {} (a mesh realises square ones). Give a square matrix.", unitary.rows(),
           unitary.cols());
  validate(unitary.allFinite(),
           "matrix holds NaN or infinity (no phases can realise it). Check how it was made.");
  const double defect = (unitary.adjoint() * unitary - Matrix::Identity(n, n)).cwiseAbs().maxCoeff();
  validate(defect < 1e-6,
           "matrix is not unitary (|U^H U - 1| reaches {:.1e}; 1e-6 is allowed). Use its polar factor.",
           defect);

  Matrix u = unitary;
  std::vector<PlacedMzi> right, left;
  for (int i = 0; i + 1 < n; ++i)
    for (int j = 0; j <= i; ++j) {
      if (i % 2 == 0)
        right.push_back({i - j, null_from_right(u, n - 1 - j, i - j)});
      else
        left.push_back({n - 2 - i + j, null_from_left(u, n - 1 - i + j, j)});
    }
  // Now L_k .. L_1 U R_1^H .. R_m^H = D, so U = L_1^H .. L_k^H D R_m .. R_1: light meets R_1 first.
  Eigen::VectorXcd d = u.diagonal();
  for (auto l = left.rbegin(); l != left.rend(); ++l)
    right.push_back({l->upper, push_diagonal(l->settings, d[l->upper], d[l->upper + 1])});
  MeshProgram program = place(clements_topology(n), right);
  program.output_phase = d.unaryExpr([](Complex z) { return wrap_phase(std::arg(z)); }).real();
  return program;
}

MeshProgram quantise(const MeshProgram& program, int bits) {
  const auto on_grid = [bits](double phase) { return quantise_phase(phase, bits); };
  return {program.theta.unaryExpr(on_grid), program.phi.unaryExpr(on_grid),
          program.output_phase.unaryExpr(on_grid)};
}

}  // namespace optinc
