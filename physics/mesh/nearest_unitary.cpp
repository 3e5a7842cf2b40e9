#include "physics/mesh/nearest_unitary.hpp"

#include <Eigen/SVD>

#include "physics/core/check.hpp"

namespace optinc {
namespace {

void require_square(const Matrix& matrix) {
  validate(matrix.rows() >= 1 && matrix.rows() == matrix.cols(),
           "matrix of {} x {} (a mesh realises square ones). Give a square matrix.", matrix.rows(),
           matrix.cols());
  validate(matrix.allFinite(),
           "matrix holds NaN or infinity (no phases can realise it). Check how it was made.");
}

}  // namespace

double unitary_defect(const Matrix& matrix) {
  return (matrix.adjoint() * matrix - Matrix::Identity(matrix.cols(), matrix.cols())).cwiseAbs().maxCoeff();
}

NearestUnitary nearest_unitary(const Matrix& matrix) {
  require_square(matrix);
  constexpr double least_ratio = 1e-6;
  const Eigen::BDCSVD<Matrix> svd(matrix, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const double largest = svd.singularValues()[0], least = svd.singularValues()[matrix.rows() - 1];
  validate(
      least > least_ratio * largest,
      "matrix is not unitary (its singular values go from {:.1e} to {:.1e}, so that it has no single nearest "
      "unitary matrix). Check how it was made.",
      least, largest);
  NearestUnitary found{svd.matrixU() * svd.matrixV().adjoint()};
  found.distance = (found.unitary - matrix).cwiseAbs().maxCoeff();
  return found;
}

void validate_unitary(const Matrix& matrix, std::string_view remedy) {
  require_square(matrix);
  const double defect = unitary_defect(matrix);
  if (defect < unitary_tolerance) return;
  throw Error(
      fmt::format("matrix is not unitary (|U^H U - 1| reaches {:.1e}; 1e-6 is allowed; the nearest unitary "
                  "matrix differs by "
                  "up to {:.1e} in an element). {}",
                  defect, nearest_unitary(matrix).distance, remedy));
}

}  // namespace optinc
