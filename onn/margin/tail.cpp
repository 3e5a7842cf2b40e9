#include "onn/margin/tail.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "onn/hardware/operating_values.hpp"

namespace optinc {
namespace {

/// Distances in rms below which the formula of the tail is 0/0; Gaussian there.
constexpr double too_near = 1e-2;
/// Share of the variance that must not be of phases, for the cumulants to have a saddle everywhere.
constexpr double least_noise = 1e-6;
constexpr int most_steps = 60;

/// The cumulant function and its derivatives at t.
template <class Real>
struct Cumulants {
  Real k, first, second;
};
template <class Real>
Cumulants<Real> cumulants(const Real& t, const Real& variance, const std::vector<PhaseMove<Real>>& phases) {
  using std::log;
  Cumulants<Real> c = {0.5 * (variance * t * t), variance * t, variance};
  for (const PhaseMove<Real>& p : phases) {
    const Real bend_t = p.bend * t, u = 1.0 + 2.0 * bend_t;
    c.k += bend_t - 0.5 * log(u) + 0.5 * (p.along2 * t * t) / u;
    c.first += 2.0 * (p.bend * bend_t) / u + p.along2 * t * (1.0 + bend_t) / (u * u);
    c.second += 2.0 * (p.bend * p.bend) / (u * u) + p.along2 / (u * u * u);
  }
  return c;
}

/// t at which the first derivative is `distance`: Newton's steps, halved where they leave what is left.
double saddle(double distance, double variance, double all, const std::vector<PhaseMove<double>>& phases) {
  double low = -std::numeric_limits<double>::infinity(), high = -low;
  for (const PhaseMove<double>& p : phases) {
    if (p.bend > 0) low = std::max(low, -0.5 / p.bend);
    if (p.bend < 0) high = std::min(high, -0.5 / p.bend);
  }
  double t = std::clamp(distance / all, 0.9 * low, 0.9 * high);
  for (int step = 0; step < most_steps; ++step) {
    const Cumulants<double> c = cumulants(t, variance, phases);
    (c.first > distance ? high : low) = t;
    double next = t - (c.first - distance) / c.second;
    if (next <= low) next = (t + low) / 2;
    if (next >= high) next = (t + high) / 2;
    const double moved = std::abs(next - t);
    t = next;
    if (moved <= 1e-14 * std::abs(t)) break;
  }
  return t;
}

}  // namespace

template <class Real>
Real log_normal_tail(const Real& x) {
  using std::erfc, std::log;
  if (value_of(x) < 20) return log(0.5 * erfc(1 / std::numbers::sqrt2 * x));
  const Real y = 1.0 / (x * x);  // asymptotic series (Abramowitz and Stegun 26.2.12), to 1e-8 from 20 on
  return -0.5 * (x * x) - log(x) - 0.5 * std::log(2 * std::numbers::pi) +
         log(1.0 - y * (1.0 - 3.0 * y * (1.0 - 5.0 * y)));
}

template <class Real>
Real log_tail(const Real& distance, const Real& variance, const std::vector<PhaseMove<Real>>& phases) {
  using std::log, std::sqrt;
  Real all = variance;
  std::vector<PhaseMove<double>> values;
  for (const PhaseMove<Real>& p : phases) {
    all += p.along2 + 2.0 * (p.bend * p.bend);
    values.push_back({value_of(p.along2), value_of(p.bend)});
  }
  const Real in_rms = distance / sqrt(all);
  if (values.empty() || std::abs(value_of(in_rms)) < too_near ||
      value_of(variance) <= least_noise * value_of(all))
    return log_normal_tail(in_rms);
  const Real found = saddle(value_of(distance), value_of(variance), value_of(all), values);
  const Cumulants<Real> there = cumulants(found, variance, phases);
  const Real t = found - (there.first - distance) / there.second;  // one more step, for its derivatives
  const Cumulants<Real> at = cumulants(t, variance, phases);
  const double sign = value_of(t) < 0 ? -1.0 : 1.0;
  const Real w = sign * sqrt(2.0 * (t * distance - at.k)), s = t * sqrt(at.second);
  return log_normal_tail(Real(w + log(s / w) / w));
}

#define OPTINC_INSTANTIATE(Real)              \
  template Real log_normal_tail(const Real&); \
  template Real log_tail(const Real&, const Real&, const std::vector<PhaseMove<Real>>&);
OPTINC_INSTANTIATE(double)
OPTINC_INSTANTIATE(OperatingTangent)
#undef OPTINC_INSTANTIATE

}  // namespace optinc
