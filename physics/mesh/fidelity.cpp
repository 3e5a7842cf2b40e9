#include "physics/mesh/fidelity.hpp"

#include "physics/core/check.hpp"

namespace optinc {

double fidelity(const Matrix& target, const Matrix& found) {
  const Eigen::Index n = target.rows();
  validate(
      n >= 1 && target.cols() == n && found.rows() == n && found.cols() == n,
      "fidelity of a matrix of {} x {} with a target of {} x {} (square, of one size). Give two such matrices.",
      found.rows(), found.cols(), n, target.cols());
  return std::norm(target.conjugate().cwiseProduct(found).sum()) /
         (static_cast<double>(n) * found.squaredNorm());
}

}  // namespace optinc
