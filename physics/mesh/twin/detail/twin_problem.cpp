#include "physics/mesh/twin/detail/twin_problem.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "physics/core/parallel.hpp"
#include "physics/mesh/twin/detail/twin_jacobian.hpp"

namespace optinc {

void add_square(const Eigen::MatrixXd& rows, Eigen::MatrixXd& matrix) {
  constexpr Eigen::Index side = 256;
  const Eigen::Index size = rows.cols(), tiles = (size + side - 1) / side;
  std::vector<std::pair<Eigen::Index, Eigen::Index>> lower;
  for (Eigen::Index i = 0; i < tiles; ++i)
    for (Eigen::Index j = 0; j <= i; ++j) lower.emplace_back(i * side, j * side);
  parallel_for(lower.size(), [&](std::size_t t) {
    const auto [i, j] = lower[t];
    const Eigen::Index high = std::min(side, size - i), wide = std::min(side, size - j);
    matrix.block(i, j, high, wide).noalias() += rows.middleCols(i, high).transpose() * rows.middleCols(j, wide);
  });
}

TwinProblem::TwinProblem(const TwinData& data, const TwinSettings& settings, const TwinParameters& parameters,
                         std::vector<std::size_t> used)
    : data_(data), settings_(settings), parameters_(parameters), used_(std::move(used)) {}

Eigen::Index TwinProblem::rows() const {
  return data_.topology.ports * data_.inputs.cols() * (fields() ? 2 : 1);
}

Vector TwinProblem::measured(std::size_t setting) const {
  if (!fields()) return data_.powers_w[setting].reshaped();
  Vector both(rows());
  both << data_.fields[setting].real().reshaped(), data_.fields[setting].imag().reshaped();
  return both;
}

Vector TwinProblem::inverse_noise(const Vector& measured) const {
  const double relative = fields() ? 0.0 : settings_.noise_relative;
  if (settings_.noise == 0.0 && relative == 0.0) return Vector::Ones(measured.size());
  // a reading near 0 has a relative error of what is next to it, not of itself
  const double floor =
      settings_.noise > 0.0 ? 0.0 : 1e-3 * measured.array().isNaN().select(0.0, measured).maxCoeff();
  return measured.unaryExpr([&](double power) {
    return 1.0 / std::hypot(settings_.noise, relative * std::max({power, floor, 0.0}));
  });
}

Eigen::MatrixXd TwinProblem::residuals(const MeshTwin& twin) const {
  Eigen::MatrixXd all(rows(), static_cast<Eigen::Index>(used_.size()));
  parallel_for(used_.size(), [&](std::size_t u) {
    const std::size_t s = used_[u];
    const Matrix out = twin_fields(data_.topology, twin, data_.settings[s], data_.inputs);
    Vector predicted(rows());
    if (fields())
      predicted << out.real().reshaped(), out.imag().reshaped();
    else
      predicted = out.cwiseAbs2().reshaped();
    const Vector read = measured(s);
    all.col(static_cast<Eigen::Index>(u)) = (read - predicted).cwiseProduct(inverse_noise(read));
  });
  return all;
}

double TwinProblem::loss(const Eigen::MatrixXd& residuals, double bend) {
  double sum = 0.0;
  for (const double r : residuals.reshaped()) {
    if (std::isnan(r)) continue;
    const double size = std::abs(r);
    sum += size <= bend ? r * r / 2 : bend * (size - bend / 2);
  }
  return sum;
}

NormalEquations TwinProblem::normal(const MeshTwin& twin, const Eigen::MatrixXd& residuals, double bend,
                                    bool matrix) const {
  NormalEquations made{Eigen::MatrixXd::Zero(matrix ? parameters_.size() : 0, matrix ? parameters_.size() : 0),
                       Vector::Zero(parameters_.size())};
  constexpr Eigen::Index rows_at_once = 2048;
  const std::size_t count = used_.size(),
                    part = static_cast<std::size_t>(std::max<Eigen::Index>(1, rows_at_once / rows()));
  for (std::size_t from = 0; from < count; from += part) {
    const std::size_t now = std::min(part, count - from);
    Eigen::MatrixXd slopes(rows() * static_cast<Eigen::Index>(now), parameters_.size());
    Vector weighted(slopes.rows());
    parallel_for(now, [&](std::size_t u) {
      const std::size_t s = used_[from + u];
      const Eigen::Index first = rows() * static_cast<Eigen::Index>(u);
      auto own = slopes.middleRows(first, rows());
      twin_jacobian(data_.topology, parameters_, twin, data_.settings[s], data_.inputs, fields(), own);
      Vector scale = inverse_noise(measured(s));
      for (Eigen::Index r = 0; r < rows(); ++r) {
        const double residual = residuals(r, static_cast<Eigen::Index>(from + u)), size = std::abs(residual);
        const double weight = std::isnan(residual) ? 0.0 : std::sqrt(size <= bend ? 1.0 : bend / size);
        weighted[first + r] = weight == 0.0 ? 0.0 : weight * residual;
        scale[r] = weight == 0.0 ? 0.0 : weight * scale[r];
      }
      own.array().colwise() *= scale.array();
    });
    made.gradient.noalias() += slopes.transpose() * weighted;
    if (matrix) add_square(slopes, made.matrix);
  }
  return made;
}

}  // namespace optinc
