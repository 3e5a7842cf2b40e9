#include "physics/mesh/decomposition.hpp"

#include <cmath>
#include <tuple>

#include "physics/core/check.hpp"
#include "physics/core/units.hpp"
#include "physics/devices/dac.hpp"
#include "physics/devices/phase_shifter.hpp"
#include "physics/mesh/detail/nulling.hpp"
#include "physics/mesh/nearest_unitary.hpp"

namespace optinc {
namespace {

struct PlacedMzi {
  int upper;
  MziSettings settings;
};

/// T^H D = D' T': carries the diagonal d (2) behind the inverse of an MZI; returns T' and updates d to D'.
PerfectMzi push_diagonal(const PerfectMzi& m, Complex& d0, Complex& d1) {
  // T^H = -i half* [[turn* s, turn* c], [c, -s]]; its row phases with T' = i half [[turn' s, c], [turn' c,
  // -s]]:
  const PerfectMzi pushed{m.s, m.c, d0 * std::conj(d1)};
  const Complex half(m.c, m.s), common = -std::conj(half) * std::conj(half) * d1;
  d0 = common * std::conj(m.turn);
  d1 = common;
  return pushed;
}

/// Puts MZIs given in the order light meets them into the columns of a topology in which each waits for the
/// ones before it only; column c holds ports of c's parity.
MeshProgram place(const MeshTopology& topology, std::span<const PlacedMzi> order) {
  MeshProgram program{Vector::Zero(topology.mzi_count()), Vector::Zero(topology.mzi_count()), {}};
  std::vector<int> next_column(static_cast<std::size_t>(topology.ports), 0);
  for (const auto& [upper, settings] : order) {
    const auto u = static_cast<std::size_t>(upper);
    int column = std::max(next_column[u], next_column[u + 1]);
    if (column % 2 != upper % 2) ++column;
    next_column[u] = next_column[u + 1] = column + 1;
    const auto first = static_cast<std::size_t>(topology.column_begin[static_cast<std::size_t>(column)]);
    const int k = static_cast<int>(first) + (upper - topology.mzis[first].upper) / 2;
    program.theta[k] = settings.theta;
    program.phi[k] = wrap_phase(settings.phi);
  }
  return program;
}

/// The diagonal that nulling leaves, all of modulus 1.
Eigen::VectorXcd diagonal_of(const NullingMatrix& u, int n) {
  Eigen::VectorXcd d(n);
  for (int p = 0; p < n; ++p) d[p] = unit_phase(u(p, p));
  return d;
}

Vector phases_of(const Eigen::VectorXcd& d) {
  return d.unaryExpr([](Complex z) { return wrap_phase(std::arg(z)); }).real();
}

}  // namespace

MeshProgram decompose_clements(const Matrix& unitary) {
  validate_unitary(unitary);
  const int n = static_cast<int>(unitary.rows());
  NullingMatrix u(unitary);
  std::vector<PlacedMzi> light;  // in the order light meets them
  std::vector<std::pair<int, PerfectMzi>> left;
  for (int i = 0; i + 1 < n; ++i) {
    if (i % 2 == 0) {
      for (int j = 0; j <= i; ++j) light.push_back({i - j, u.null_from_right(n - 1 - j, i - j).settings()});
    } else {
      int upper = n - 2 - i;
      for (const PerfectMzi& m : u.null_chain_from_left(n - 1 - i, i + 1)) left.emplace_back(upper++, m);
    }
  }
  // Now L_k .. L_1 U R_1^H .. R_m^H = D, so U = L_1^H .. L_k^H D R_m .. R_1: light meets R_1 first.
  Eigen::VectorXcd d = diagonal_of(u, n);
  for (auto l = left.rbegin(); l != left.rend(); ++l)
    light.push_back({l->first, push_diagonal(l->second, d[l->first], d[l->first + 1]).settings()});
  MeshProgram program = place(clements_topology(n), light);
  program.output_phase = phases_of(d);
  return program;
}

MeshProgram decompose_reck(const Matrix& unitary) {
  validate_unitary(unitary);
  const int n = static_cast<int>(unitary.rows());
  NullingMatrix u(unitary);
  std::vector<PlacedMzi> light;
  for (int row = n - 1; row > 0; --row)
    for (int column = 0; column < row; ++column)
      light.push_back({column, u.null_from_right(row, column).settings()});
  // U R_1^H .. R_m^H = D, so U = D R_m .. R_1: the diagonal is at the output already
  MeshProgram program = place(reck_topology(n), light);
  program.output_phase = phases_of(diagonal_of(u, n));
  return program;
}

MeshProgram quantise(const MeshProgram& program, int bits, DacMode mode) {
  // wrapped, a phase that is not finite would become 0
  for (const auto& [name, part, phases] :
       {std::tuple("theta", "MZI", &program.theta), std::tuple("phi", "MZI", &program.phi),
        std::tuple("output_phase", "port", &program.output_phase)})
    for (Eigen::Index k = 0; k < phases->size(); ++k)
      validate(std::isfinite((*phases)[k]), "{} of {} {} is {} (finite numbers only). Set a finite number.",
               name, part, k, (*phases)[k]);
  const auto on_grid = [=](double phase) {
    return mode == DacMode::voltage ? quantise_voltage(phase, bits) : quantise_phase(phase, bits);
  };
  return {program.theta.unaryExpr(on_grid), program.phi.unaryExpr(on_grid),
          program.output_phase.unaryExpr(on_grid)};
}

}  // namespace optinc
