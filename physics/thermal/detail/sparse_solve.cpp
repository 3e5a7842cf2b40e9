#include "physics/thermal/detail/sparse_solve.hpp"

#include <Eigen/IterativeLinearSolvers>

#include "physics/core/check.hpp"

namespace optinc {
namespace {

template <class Solver>
Vector refined(const SparseMatrix& a, const Vector& b) {
  Solver solver;
  solver.setTolerance(1e-12);
  solver.setMaxIterations(5000);
  solver.compute(a);
  Vector x = Vector::Zero(b.size()), residual = b;
  double largest = b.cwiseAbs().maxCoeff();
  const double wanted = largest;
  // Each round takes the residual as a new right-hand side: what one solve leaves of its own rounding goes.
  for (int round = 0; round < 6 && largest > 0; ++round) {
    const Vector better = x + solver.solve(residual);
    const Vector left = b - a * better;
    const double now = left.cwiseAbs().maxCoeff();
    if (!(now < largest)) break;
    x = better;
    residual = left;
    largest = now;
  }
  validate(
      largest <= 1e-10 * wanted,
      "a thermal solve stalled at a residual of {:.3g} of what was asked ({} heaters; crosstalk this strong "
      "has no stable inverse). Lower the crosstalk or space the heaters wider.",
      largest / wanted, b.size());
  return x;
}

}  // namespace

Vector solve_sparse(const SparseMatrix& a, const Vector& b, bool symmetric) {
  if (b.size() == 0) return b;
  if (symmetric) return refined<Eigen::ConjugateGradient<SparseMatrix, Eigen::Lower | Eigen::Upper>>(a, b);
  return refined<Eigen::BiCGSTAB<SparseMatrix>>(a, b);
}

}  // namespace optinc
