#include "physics/circuit/spectrum.hpp"

#include <cmath>

namespace optinc {

double largest_output(const Matrix& s) {
  return Eigen::SelfAdjointEigenSolver<Matrix>(s.adjoint() * s, Eigen::EigenvaluesOnly)
      .eigenvalues()
      .maxCoeff();
}

Unresolved least_foretold(const Eigen::Ref<const Eigen::VectorXd>& values) {
  Unresolved worst;
  for (Eigen::Index i = 2; i + 2 < values.size(); ++i) {
    const double foretold = (4 * (values[i - 1] + values[i + 1]) - values[i - 2] - values[i + 2]) / 6;
    const double off = std::abs(values[i] - foretold);
    if (off > worst.off) worst = {i, off};
  }
  return worst;
}

}  // namespace optinc
