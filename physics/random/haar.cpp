#include "physics/random/haar.hpp"

namespace optinc {

Matrix haar_unitary(int n, Stream& stream) {
  Matrix g(n, n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const double re = stream.normal();
      g(i, j) = Complex(re, stream.normal());
    }
  const Eigen::HouseholderQR<Matrix> qr(g);
  Matrix q = qr.householderQ();
  for (int j = 0; j < n; ++j) q.col(j) *= std::polar(1.0, std::arg(qr.matrixQR()(j, j)));
  return q;
}

Eigen::MatrixXd haar_orthogonal(int n, Stream& stream) {
  Eigen::MatrixXd g(n, n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) g(i, j) = stream.normal();
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(g);
  Eigen::MatrixXd q = qr.householderQ();
  for (int j = 0; j < n; ++j)
    if (qr.matrixQR()(j, j) < 0) q.col(j) = -q.col(j);
  return q;
}

}  // namespace optinc
