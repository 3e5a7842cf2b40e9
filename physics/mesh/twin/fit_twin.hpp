#pragma once

#include <cstdint>

#include "physics/mesh/twin/twin_parameters.hpp"
#include "physics/mesh/twin/twin_settings.hpp"

namespace optinc {

/// How well a twin predicts readings.
struct TwinError {
  std::int64_t readings = 0;
  double rms = 0.0;    ///< W, or sqrt(W) of a quadrature
  double sigma = 0.0;  ///< rms in units of the noise; NaN where none is known
};

/// What the data say of one kind of parameters.
struct TwinKindReport {
  TwinKind kind;
  Eigen::Index fitted = 0, told = 0;  ///< parameters, and those among them that the data tell each by itself
  double unseen = 0.0;                ///< how many of the unseen directions lie in this kind
  double standard_error = 0.0;        ///< rms of those that are told, rad, 1 or dB; NaN without any
};

/// A twin that was fitted.
struct TwinFit {
  MeshTwin twin;
  MeshTwin standard_error;  ///< of the same numbers; infinite where the data do not tell; 0: not fitted
  std::vector<TwinKindReport> kinds;
  Eigen::Index parameters = 0;
  Eigen::Index unseen = 0;     ///< directions in which parameters change no reading
  TwinError fitted, held_out;  ///< readings that were fitted, and those that were held out
  double outliers = 0.0;       ///< share of fitted readings beyond settings.outlier
  int iterations = 0;          ///< matrices of normal equations
  bool converged = false;
  Vector values;     ///< change of every parameter from the start (parameters)
  Vector deviation;  ///< its standard error, infinite where the data do not tell it
};

/// Fits a twin to measurements: least squares of all readings over their noise, with Huber's loss beyond
/// settings.outlier, by the algorithm of Levenberg and Marquardt with exact derivatives. A factor of the normal
/// equations serves for as many steps as each gains less than half of the one before. Standard errors are those
/// of the normal equations at the end, times the scatter that is left (Huber 1981, eq. 6.6); directions that
/// change no reading stay as at the start and are reported. Finds the minimum next to `start`, which
/// nominal_twin() is near enough to for chips with calibrated phases. Every n-th setting is held out, n = 1 /
/// settings.held_out. Throws Error for impossible data or settings, and where nothing is to be fitted.
TwinFit fit_twin(const TwinData& data, const TwinSettings& settings, const MeshTwin& start);

/// A report of every kind, from the shares of all parameters in unseen directions and their variances.
std::vector<TwinKindReport> reports_of(const TwinParameters& parameters, const Vector& share,
                                       const Vector& variance);

}  // namespace optinc
