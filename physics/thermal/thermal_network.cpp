#include "physics/thermal/thermal_network.hpp"

#include <cmath>
#include <vector>

#include <Eigen/Cholesky>

#include "physics/core/check.hpp"
#include "physics/thermal/detail/sparse_solve.hpp"

namespace optinc {
namespace {

using Index = Eigen::Index;
using Triplet = Eigen::Triplet<double>;

constexpr Index most_dense_heaters = 2000;

void validate_resistances(const HeaterArray& heaters, const SparseMatrix& theta) {
  validate_heaters(heaters);
  validate(
      theta.rows() == heaters.count() && theta.cols() == heaters.count(),
      "a thermal resistance matrix of {} x {} for {} heaters (one row and column each). Build it from the same "
      "heaters.",
      theta.rows(), theta.cols(), heaters.count());
}

}  // namespace

ThermalNetwork linked_network(const HeaterArray& heaters, std::span<const ThermalLink> links) {
  validate_heaters(heaters);
  const Index count = heaters.count();
  std::vector<Triplet> entries;
  for (Index i = 0; i < count; ++i) entries.emplace_back(i, i, 1 / heaters.resistance_k_per_w[i]);
  for (const auto& [a, b, g] : links) {
    validate(a != b && a >= 0 && b >= 0 && a < count && b < count,
             "a thermal link joins heaters {} and {} (two different ones of 0..{}). Name two heaters.", a, b,
             count - 1);
    validate(std::isfinite(g) && g >= 0, "a thermal link of {} W/K (finite and >= 0). Give a conductance >= 0.",
             g);
    entries.emplace_back(a, a, g);
    entries.emplace_back(b, b, g);
    entries.emplace_back(a, b, -g);
    entries.emplace_back(b, a, -g);
  }
  SparseMatrix k(count, count);
  k.setFromTriplets(entries.begin(), entries.end());
  return {heaters.capacity_j_per_k, k, heaters.die};
}

ThermalNetwork exact_network(const HeaterArray& heaters, const SparseMatrix& theta) {
  validate_resistances(heaters, theta);
  const Index count = heaters.count();
  validate(count <= most_dense_heaters,
           "the exact network of {} heaters (its matrix is dense: at most {}). Use first_order_network.", count,
           most_dense_heaters);
  const Eigen::LLT<Eigen::MatrixXd> factor{Eigen::MatrixXd(theta)};
  validate(
      factor.info() == Eigen::Success,
      "a thermal resistance matrix is not positive definite (some powers would cool). Lower the crosstalk.");
  const Eigen::MatrixXd inverse = factor.solve(Eigen::MatrixXd::Identity(count, count));
  const Eigen::MatrixXd symmetric = (inverse + inverse.transpose()) / 2;
  return {heaters.capacity_j_per_k, symmetric.sparseView(0.0, 0.0), heaters.die};
}

ThermalNetwork first_order_network(const HeaterArray& heaters, const SparseMatrix& theta) {
  validate_resistances(heaters, theta);
  ThermalNetwork network{heaters.capacity_j_per_k, theta, heaters.die};
  SparseMatrix& k = network.conductance_w_per_k;
  const Vector& r = heaters.resistance_k_per_w;
  for (Index j = 0; j < k.cols(); ++j) {
    double rows_sum = 0;
    for (SparseMatrix::InnerIterator it(k, j); it; ++it) {
      const Index i = it.row();
      if (i == j) {
        it.valueRef() = 1 / r[i];
      } else {
        it.valueRef() *= -1 / (r[i] * r[j]);
      }
      rows_sum += it.value();
    }
    validate(
        rows_sum > 0,
        "heater {} would have a conductance of {:.3g} W/K to the die (> 0; the crosstalk of its neighbours "
        "adds up to its own rise). Lower the crosstalk or use exact_network.",
        j, rows_sum);
  }
  return network;
}

Vector leak_w_per_k(const ThermalNetwork& network) {
  return network.conductance_w_per_k * Vector::Ones(network.heaters());
}

ThermalState thermal_steady_state(const ThermalNetwork& network, const Vector& power_w, double ambient_k) {
  validate(power_w.size() == network.heaters() && power_w.allFinite(),
           "{} powers for {} heaters (one finite power each). Give as many.", power_w.size(),
           network.heaters());
  const double die_k = ambient_k + network.die.resistance_k_per_w * power_w.sum();
  return {solve_sparse(network.conductance_w_per_k, power_w, true).array() + die_k, die_k};
}

ThermalSystem thermal_system(const ThermalNetwork& network) {
  const Index count = network.heaters();
  const Vector leak = leak_w_per_k(network);
  std::vector<Triplet> entries;
  entries.reserve(static_cast<std::size_t>(network.conductance_w_per_k.nonZeros() + 2 * count + 1));
  for (Index j = 0; j < count; ++j) {
    for (SparseMatrix::InnerIterator it(network.conductance_w_per_k, j); it; ++it)
      entries.emplace_back(it.row(), j, it.value());
    entries.emplace_back(j, count, -leak[j]);
    entries.emplace_back(count, j, -leak[j]);
  }
  entries.emplace_back(count, count, leak.sum() + 1 / network.die.resistance_k_per_w);
  ThermalSystem system{SparseMatrix(count + 1, count + 1), Vector(count + 1)};
  system.conductance_w_per_k.setFromTriplets(entries.begin(), entries.end());
  system.capacity_j_per_k << network.capacity_j_per_k, network.die.capacity_j_per_k;
  return system;
}  // NOLINT(clang-analyzer-unix.Malloc): what the sparse matrix frees is lost to the analyser

double fastest_rate_per_s(const ThermalNetwork& network) {
  // Similar matrices share their spectrum: the rows of C^-1 F bound it without the square roots. F has row sums
  // >= 0 and, but for a dense inverse, no positive off-diagonals, so its rows add up to at most twice the
  // diagonal.
  const Vector leak = leak_w_per_k(network);
  double fastest =
      (2 * leak.cwiseAbs().sum() + 1 / network.die.resistance_k_per_w) / network.die.capacity_j_per_k;
  for (Index j = 0; j < network.heaters(); ++j) {
    double sum = std::abs(leak[j]);
    for (SparseMatrix::InnerIterator it(network.conductance_w_per_k, j); it; ++it) sum += std::abs(it.value());
    fastest = std::max(fastest, sum / network.capacity_j_per_k[j]);
  }
  return fastest;
}

void validate_network(const ThermalNetwork& n) {
  const auto& k = n.conductance_w_per_k;
  validate(n.heaters() > 0 && k.rows() == n.heaters() && k.cols() == n.heaters(),
           "a thermal network of {} capacities and {} x {} conductances (one of each per heater, at least "
           "one). Build "
           "it with linked_network.",
           n.heaters(), k.rows(), k.cols());
  validate(
      SparseMatrix(k - SparseMatrix(k.transpose())).norm() <= 1e-10 * k.norm(),
      "the conductances of a thermal network are not symmetric (heat flow is reciprocal). Give G_ij = G_ji.");
  validate(
      n.capacity_j_per_k.allFinite() && n.capacity_j_per_k.minCoeff() > 0 &&
          std::isfinite(n.die.capacity_j_per_k) && n.die.capacity_j_per_k > 0 &&
          std::isfinite(n.die.resistance_k_per_w) && n.die.resistance_k_per_w > 0,
      "a capacity of a thermal network or the die's resistance is not positive (finite and > 0). Give positive "
      "ones.");
}

}  // namespace optinc
