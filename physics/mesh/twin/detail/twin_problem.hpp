#pragma once

#include "physics/mesh/twin/twin_parameters.hpp"
#include "physics/mesh/twin/twin_settings.hpp"

namespace optinc {

/// J^T W J (lower triangle), J^T W r of the readings' residuals r in units of their noise.
struct NormalEquations {
  Eigen::MatrixXd matrix;
  Vector gradient;
};

/// The least-squares problem of some settings of the data: residuals, Huber's loss, and its normal equations.
/// Sums run over settings in their order, whatever the threads.
class TwinProblem {
 public:
  /// Of the settings `used`, by number. Data, settings and parameters must outlive it.
  TwinProblem(const TwinData& data, const TwinSettings& settings, const TwinParameters& parameters,
              std::vector<std::size_t> used);

  /// Measured less predicted, in units of the noise (of the reading's own unit where none is given), a column
  /// a setting; NaN where nothing was read. Rows as twin_jacobian() has them.
  Eigen::MatrixXd residuals(const MeshTwin& twin) const;

  /// Sum of Huber's loss, r^2/2 up to `bend`, and from there on a straight line.
  static double loss(const Eigen::MatrixXd& residuals, double bend);

  /// Of Huber's loss at this twin, each reading with weight min(1, bend/|r|). Without `matrix`, the gradient
  /// alone.
  NormalEquations normal(const MeshTwin& twin, const Eigen::MatrixXd& residuals, double bend,
                         bool matrix = true) const;

  /// Readings of one setting, those that are missing too.
  Eigen::Index rows() const;

 private:
  bool fields() const { return !data_.fields.empty(); }
  Vector measured(std::size_t setting) const;
  Vector inverse_noise(const Vector& measured) const;

  const TwinData& data_;
  const TwinSettings& settings_;
  const TwinParameters& parameters_;
  std::vector<std::size_t> used_;
};

/// rows^T rows, added to the lower triangle of `matrix`, tile by tile.
void add_square(const Eigen::MatrixXd& rows, Eigen::MatrixXd& matrix);

}  // namespace optinc
