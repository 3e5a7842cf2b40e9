#include "physics/thermal/ambient.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "physics/core/check.hpp"
#include "physics/core/units.hpp"
#include "physics/random/ornstein_uhlenbeck.hpp"

namespace optinc {
namespace {

void validate_instants(std::span<const double> times_s) {
  validate(std::all_of(times_s.begin(), times_s.end(), [](double t) { return std::isfinite(t); }) &&
               std::adjacent_find(times_s.begin(), times_s.end(), std::greater_equal<>()) == times_s.end(),
           "instants of a drift do not ascend (finite, each later than the one before). Sort them.");
}

void validate_parts(std::initializer_list<std::pair<const char*, double>> finite,
                    std::initializer_list<std::pair<const char*, double>> positive, double rms) {
  for (const auto& [name, value] : finite)
    validate(std::isfinite(value), "drift {} = {} (finite). Give a number.", name, value);
  for (const auto& [name, value] : positive)
    validate(std::isfinite(value) && value > 0, "drift {} = {} (finite and > 0). Give a positive {}.", name,
             value, name);
  validate(std::isfinite(rms) && rms >= 0, "drift of rms {} (finite and >= 0). Give an rms >= 0.", rms);
}

void add_ou(double rms, double time_s, std::span<const double> times_s, Stream& stream, Vector& sum) {
  if (rms == 0) return;
  const OrnsteinUhlenbeck process{rms, time_s};
  double x = ornstein_uhlenbeck_start(process, stream);
  for (std::size_t k = 0; k < times_s.size(); ++k) {
    if (k > 0) x = ornstein_uhlenbeck_step(process, x, times_s[k] - times_s[k - 1], stream);
    sum[static_cast<Eigen::Index>(k)] += x;
  }
}

}  // namespace

Vector ambient_history(const AmbientModel& m, std::span<const double> times_s, Stream& stream) {
  validate_instants(times_s);
  validate_parts({{"constant_k", m.constant_k},
                  {"ramp_k_per_s", m.ramp_k_per_s},
                  {"sine_amplitude_k", m.sine_amplitude_k},
                  {"sine_phase_rad", m.sine_phase_rad}},
                 {{"sine_period_s", m.sine_period_s}, {"ou_time_s", m.ou_time_s}}, m.ou_rms_k);
  Vector ambient(static_cast<Eigen::Index>(times_s.size()));
  for (std::size_t k = 0; k < times_s.size(); ++k)
    ambient[static_cast<Eigen::Index>(k)] =
        m.constant_k + m.ramp_k_per_s * times_s[k] +
        m.sine_amplitude_k * std::sin(2 * constants::pi * times_s[k] / m.sine_period_s + m.sine_phase_rad);
  add_ou(m.ou_rms_k, m.ou_time_s, times_s, stream, ambient);
  return ambient;
}

Vector ambient_history(std::span<const AmbientModel> models, std::span<const double> times_s, Stream& stream) {
  Vector sum = Vector::Zero(static_cast<Eigen::Index>(times_s.size()));
  for (const AmbientModel& model : models) sum += ambient_history(model, times_s, stream);
  return sum;
}

Vector wavelength_history(const LaserDrift& d, std::span<const double> times_s, Stream& stream) {
  validate_instants(times_s);
  validate_parts({{"ramp_m_per_s", d.ramp_m_per_s}}, {{"ou_time_s", d.ou_time_s}}, d.ou_rms_m);
  Vector shift =
      d.ramp_m_per_s * Eigen::Map<const Vector>(times_s.data(), static_cast<Eigen::Index>(times_s.size()));
  add_ou(d.ou_rms_m, d.ou_time_s, times_s, stream, shift);
  return shift;
}

}  // namespace optinc
