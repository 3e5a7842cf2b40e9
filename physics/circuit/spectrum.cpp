#include "physics/circuit/spectrum.hpp"

#include <cmath>

namespace optinc {

double largest_output(const Matrix& s) {
  return Eigen::SelfAdjointEigenSolver<Matrix>(s.adjoint() * s, Eigen::EigenvaluesOnly)
      .eigenvalues()
      .maxCoeff();
}

Matrix nearest_passive(const Matrix& s) {
  const Eigen::BDCSVD<Matrix> svd(s, Eigen::ComputeFullU | Eigen::ComputeFullV);
  if (svd.singularValues().size() == 0 || svd.singularValues()[0] <= 1.0) return s;
  return svd.matrixU() * svd.singularValues().cwiseMin(1.0).asDiagonal() * svd.matrixV().adjoint();
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
