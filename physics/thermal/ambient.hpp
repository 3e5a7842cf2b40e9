#pragma once

#include <span>

#include "physics/core/field.hpp"
#include "physics/random/stream.hpp"

namespace optinc {

/// Temperature of the ambient over time, rise over the common reference, K; the sum of its parts, 0 by default:
///   T_a(t) = constant + ramp t + amplitude sin(2 pi t / period + phase) + OU(t).
/// Usual sizes (assumed): ramp 0.01 .. 1 K/s, sine 0.1 .. 2 K in 10 .. 1000 s, OU 0.05 K in 10 s.
struct AmbientModel {
  double constant_k = 0.0;
  double ramp_k_per_s = 0.0;
  double sine_amplitude_k = 0.0, sine_period_s = 100.0, sine_phase_rad = 0.0;
  double ou_rms_k = 0.0, ou_time_s = 10.0;  ///< Ornstein-Uhlenbeck: stationary rms, correlation time
};

/// Wavelength of the laser over time less its nominal one, m: ramp t + OU(t).
struct LaserDrift {
  double ramp_m_per_s = 0.0;
  double ou_rms_m = 0.0, ou_time_s = 10.0;
};

/// The ambient at ascending instants, K (instants). The noise starts in its stationary state and steps exactly,
/// x' = x e^(-dt/tau) + s sqrt(1 - e^(-2 dt/tau)) xi, one normal of the stream per instant (none where ou_rms_k
/// is 0). Throws Error for values that are not finite, a negative rms, a period or time that is not > 0, or
/// instants that do not ascend.
Vector ambient_history(const AmbientModel& model, std::span<const double> times_s, Stream& stream);

/// The sum of several, each with normals of its own, in order.
Vector ambient_history(std::span<const AmbientModel> models, std::span<const double> times_s, Stream& stream);

/// The wavelength drift at ascending instants, m (instants).
Vector wavelength_history(const LaserDrift& drift, std::span<const double> times_s, Stream& stream);

}  // namespace optinc
