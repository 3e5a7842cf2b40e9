#pragma once

#include <span>

#include "physics/random/stream.hpp"

namespace optinc {

/// Ornstein-Uhlenbeck process dX = -X/tau dt + sqrt(2 s^2/tau) dW: noise of rms s that forgets itself within
/// tau. Drift of a phase, residual of a phase lock, ambient temperature (Gillespie, Phys. Rev. E 54, 2084,
/// 1996); X has the unit of `rms`.
struct OrnsteinUhlenbeck {
  double rms = 1e-3;                 ///< stationary standard deviation s; the default: phase noise, rad
  double correlation_time_s = 1e-3;  ///< tau; autocovariance s^2 e^(-|t|/tau)
};

/// Throws Error unless rms >= 0 and correlation_time_s > 0, both finite.
void validate_ornstein_uhlenbeck(const OrnsteinUhlenbeck& process);

/// Correlation of X(t) and X(t + elapsed): e^(-elapsed/tau).
double ornstein_uhlenbeck_correlation(const OrnsteinUhlenbeck& process, double elapsed_s);

/// A value of the stationary process, N(0, s^2); one normal of the stream.
double ornstein_uhlenbeck_start(const OrnsteinUhlenbeck& process, Stream& stream);

/// The value `elapsed_s` >= 0 later, exact for any step: X' = X e^(-dt/tau) + s sqrt(1 - e^(-2 dt/tau)) xi; one
/// normal of the stream. (D. T. Gillespie 1996, Phys. Rev. E 54, 2084.)
double ornstein_uhlenbeck_step(const OrnsteinUhlenbeck& process, double value, double elapsed_s,
                               Stream& stream);

/// A stationary path at equal steps, path[k] = X(k dt), from one normal per value. Throws Error for an
/// impossible process or a negative step.
void ornstein_uhlenbeck_path(const OrnsteinUhlenbeck& process, double step_s, std::span<double> path,
                             Stream& stream);

}  // namespace optinc
