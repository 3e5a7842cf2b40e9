// The two exact ways. In y = C^1/2 T the system is y' = -S y + a + b t with the symmetric S = C^-1/2 F C^-1/2,
// and
//   y(h) = y_0 + h phi_1(-h S) (a - S y_0) + h^2 phi_2(-h S) b.

#include <cmath>
#include <vector>

#include <Eigen/Eigenvalues>

#include "physics/core/check.hpp"
#include "physics/core/units.hpp"
#include "physics/thermal/detail/thermal_steps.hpp"

namespace optinc {
namespace {

using Index = Eigen::Index;

/// Coefficients c of f(x) = c_0 + sum_k c_k T_k(2 x / end - 1) on [0, end], f <= 1: as many as it takes to
/// 1e-15.
Vector chebyshev_series(double (*f)(double), double end) {
  const double small = 1e-15;
  for (Index nodes = 32; nodes <= 32768; nodes *= 2) {
    // Nodes at the angles pi (2 j + 1) / (2 nodes). cos(k angle) is looked up by k (2 j + 1) modulo a turn:
    // with the product rounded the coefficients would not fall below 1e-15 for large k.
    const Vector cosine = Vector::NullaryExpr(4 * nodes, [nodes](Index a) {
      return std::cos(constants::pi / (2 * static_cast<double>(nodes)) * static_cast<double>(a));
    });
    const Vector values =
        Vector::NullaryExpr(nodes, [&](Index j) { return f(end * 0.5 * (1 + cosine[2 * j + 1])); });
    const auto coefficient = [&](Index k) {
      double sum = 0;
      for (Index j = 0; j < nodes; ++j) sum += values[j] * cosine[k * (2 * j + 1) % (4 * nodes)];
      return (k == 0 ? 1.0 : 2.0) / static_cast<double>(nodes) * sum;
    };
    bool enough = true;
    for (Index k = nodes - 8; k < nodes && enough; ++k) enough = std::abs(coefficient(k)) < small;
    if (!enough) continue;
    const Vector series = Vector::NullaryExpr(nodes, coefficient);
    Index length = nodes;
    while (length > 1 && std::abs(series[length - 1]) < small) --length;
    if (length > 20000) break;
    return series.head(length);
  }
  throw Error(
      fmt::format("exponential over a step of {:.3g} fastest time constants (its series would have more than "
                  "20000 terms). Choose "
                  "quasi-static, or instants closer together.",
                  end));
}

/// f(h S) v by the series of f on [0, h rate], v kept.
Vector function_of(const Vector& series, const SparseMatrix& s, double rate, const Vector& v) {
  // T_k of X = 2 S / rate - 1, whose spectrum lies in [-1, 1].
  Vector before = v, now = 2 / rate * (s * v) - v, sum = series[0] * v;
  for (Index k = 1; k < series.size(); ++k) {
    sum += series[k] * now;
    before = 4 / rate * (s * now) - 2 * now - before;
    before.swap(now);
  }
  return sum;
}

}  // namespace

double phi_1(double z) { return z == 0 ? 1.0 : -std::expm1(-z) / z; }

double phi_2(double z) {
  if (z > 0.5) return (1 - phi_1(z)) / z;
  double sum = 0, term = 0.5;  // sum of (-z)^k / (k + 2)!: no cancellation near 0
  for (int k = 0; k < 16; ++k) {
    sum += term;
    term *= -z / (k + 3);
  }
  return sum;
}

void run_eigen(const ThermalRun& run, Eigen::MatrixXd& out) {
  const Vector root = run.system.capacity_j_per_k.cwiseSqrt(), scale = root.cwiseInverse();
  const Eigen::MatrixXd s =
      scale.asDiagonal() * Eigen::MatrixXd(run.system.conductance_w_per_k) * scale.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> modes(s);
  validate(modes.info() == Eigen::Success,
           "the modes of a thermal network of {} states did not converge (capacities and conductances of very "
           "unlike "
           "size). Choose exponential.",
           s.rows());
  const Index last = s.rows() - 1;
  const Vector& rates = modes.eigenvalues();
  Vector power(s.rows());
  power << run.power_w, 0.0;
  const Vector heating = modes.eigenvectors().transpose() * scale.cwiseProduct(power);
  const Vector die = run.die_to_ambient_w_per_k * scale[last] * modes.eigenvectors().row(last).transpose();
  Vector y = modes.eigenvectors().transpose() * root.cwiseProduct(Vector(out.col(0)));
  for (std::size_t k = 0; k + 1 < run.instants(); ++k) {
    const double h = run.times_s[k + 1] - run.times_s[k];
    const Vector towards = heating + run.ambient_k[k] * die - rates.cwiseProduct(y);
    y += h * rates.unaryExpr([h](double l) { return phi_1(l * h); }).cwiseProduct(towards);
    y += h * h * run.slope_k_per_s(k) *
         rates.unaryExpr([h](double l) { return phi_2(l * h); }).cwiseProduct(die);
    out.col(Index(k) + 1) = scale.cwiseProduct(modes.eigenvectors() * y);
  }
}

void run_exponential(const ThermalRun& run, double fastest_rate_per_s, Eigen::MatrixXd& out) {
  const Vector root = run.system.capacity_j_per_k.cwiseSqrt(), scale = root.cwiseInverse();
  const SparseMatrix s = scale.asDiagonal() * run.system.conductance_w_per_k * scale.asDiagonal();
  const Index last = s.rows() - 1;
  Vector power(s.rows());
  power << run.power_w, 0.0;
  const Vector heating = scale.cwiseProduct(power);
  const Vector die = run.die_to_ambient_w_per_k * scale[last] * Vector::Unit(s.rows(), last);
  Vector y = root.cwiseProduct(Vector(out.col(0)));
  for (std::size_t k = 0; k + 1 < run.instants(); ++k) {
    const double h = run.times_s[k + 1] - run.times_s[k], slope = run.slope_k_per_s(k);
    const Vector towards = heating + run.ambient_k[k] * die - s * y;
    const double end = fastest_rate_per_s * h;
    y += h * function_of(chebyshev_series(phi_1, end), s, fastest_rate_per_s, towards);
    if (slope != 0) y += h * h * function_of(chebyshev_series(phi_2, end), s, fastest_rate_per_s, slope * die);
    out.col(Index(k) + 1) = scale.cwiseProduct(y);
  }
}

}  // namespace optinc
