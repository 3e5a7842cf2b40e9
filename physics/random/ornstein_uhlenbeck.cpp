#include "physics/random/ornstein_uhlenbeck.hpp"

#include <cmath>

#include "physics/core/check_values.hpp"

namespace optinc {
namespace {

/// rms of what a step adds; expm1 keeps its digits when the step is a tiny part of tau.
double innovation_rms(const OrnsteinUhlenbeck& p, double elapsed_s) {
  return p.rms * std::sqrt(-std::expm1(-2 * elapsed_s / p.correlation_time_s));
}

}  // namespace

void validate_ornstein_uhlenbeck(const OrnsteinUhlenbeck& p) {
  validate_not_negative("rms", p.rms);
  validate_positive("correlation_time_s", p.correlation_time_s);
}

double ornstein_uhlenbeck_correlation(const OrnsteinUhlenbeck& p, double elapsed_s) {
  return std::exp(-elapsed_s / p.correlation_time_s);
}

double ornstein_uhlenbeck_start(const OrnsteinUhlenbeck& p, Stream& stream) { return p.rms * stream.normal(); }

double ornstein_uhlenbeck_step(const OrnsteinUhlenbeck& p, double value, double elapsed_s, Stream& stream) {
  return value * ornstein_uhlenbeck_correlation(p, elapsed_s) + innovation_rms(p, elapsed_s) * stream.normal();
}

void ornstein_uhlenbeck_path(const OrnsteinUhlenbeck& p, double step_s, std::span<double> path,
                             Stream& stream) {
  validate_ornstein_uhlenbeck(p);
  validate_not_negative("step_s", step_s);
  if (path.empty()) return;
  const double kept = ornstein_uhlenbeck_correlation(p, step_s), added = innovation_rms(p, step_s);
  stream.normals(path);
  path[0] *= p.rms;
  for (std::size_t k = 1; k < path.size(); ++k) path[k] = kept * path[k - 1] + added * path[k];
}

}  // namespace optinc
