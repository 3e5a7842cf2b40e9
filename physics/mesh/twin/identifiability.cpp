#include "physics/mesh/twin/identifiability.hpp"

#include <algorithm>
#include <cmath>

#include "physics/core/parallel.hpp"
#include "physics/random/stream.hpp"

namespace optinc {
namespace {

constexpr double seen_eigenvalue = 1e-9;

Eigen::MatrixXd orthonormal(const Eigen::MatrixXd& vectors) {
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(vectors);
  return qr.householderQ() * Eigen::MatrixXd::Identity(vectors.rows(), vectors.cols());
}

/// Eigenvectors of a scaled information matrix (both triangles) with eigenvalues of nearly 0.
Eigen::MatrixXd unseen_directions(const Eigen::MatrixXd& scaled, Eigen::Index expected) {
  const Eigen::Index size = scaled.rows();
  Eigen::MatrixXd lifted = scaled;
  lifted.diagonal().array() += 1e-2 * seen_eigenvalue;
  const Eigen::LLT<Eigen::MatrixXd> inverse(lifted);
  for (Eigen::Index width = std::min(size, expected + 8);; width = std::min(size, 2 * width)) {
    Stream stream(1, Purpose::twin_directions, static_cast<std::uint32_t>(width));
    Eigen::MatrixXd block = Eigen::MatrixXd::NullaryExpr(size, width, [&] { return stream.normal(); });
    constexpr int rounds = 4;  // each takes 1e-2 of what the next eigenvalues have left, or more
    for (int i = 0; i < rounds; ++i) block = orthonormal(inverse.solve(orthonormal(block)));
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> ritz(block.transpose() * (scaled * block));
    const Eigen::Index unseen = (ritz.eigenvalues().array() < seen_eigenvalue).count();
    if (unseen < width || width == size) return block * ritz.eigenvectors().leftCols(unseen);
  }
}

/// The diagonal of a positive definite matrix' inverse: squares of the columns of L^{-1}.
Vector inverse_diagonal(const Eigen::MatrixXd& matrix) {
  const Eigen::MatrixXd factor = Eigen::LLT<Eigen::MatrixXd>(matrix).matrixL();
  const Eigen::Index size = matrix.rows(), width = 128;
  Vector diagonal(size);
  parallel_for((size + width - 1) / width, [&](Eigen::Index part) {
    const Eigen::Index first = part * width, rest = size - first, wide = std::min(width, rest);
    Eigen::MatrixXd columns = Eigen::MatrixXd::Identity(rest, wide);
    factor.bottomRightCorner(rest, rest).triangularView<Eigen::Lower>().solveInPlace(columns);
    diagonal.segment(first, wide) = columns.colwise().squaredNorm();
  });
  return diagonal;
}

}  // namespace

Identifiability identifiability(const Eigen::MatrixXd& information, Eigen::Index expected) {
  if (information.size() == 0) return {Eigen::MatrixXd(0, 0), Vector(0)};
  // a parameter on which no reading depends has a diagonal of rounding errors, eps^2 of others'
  constexpr double rounding = 1e-20;
  const double largest = information.diagonal().maxCoeff();
  const Vector scale = information.diagonal().unaryExpr([&](double x) {
    return 1.0 / std::sqrt(x > rounding * largest ? x : largest > 0.0 ? largest : 1.0);
  });
  Eigen::MatrixXd scaled = information.selfadjointView<Eigen::Lower>();
  scaled = scale.asDiagonal() * scaled * scale.asDiagonal();
  Identifiability found;
  found.unseen = unseen_directions(scaled, expected);
  scaled.noalias() += found.unseen * found.unseen.transpose();
  found.variance =
      (inverse_diagonal(scaled) - found.unseen_share()).cwiseMax(0.0).cwiseProduct(scale.cwiseAbs2());
  return found;
}

}  // namespace optinc
