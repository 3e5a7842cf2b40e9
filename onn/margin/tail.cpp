#include "onn/margin/tail.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <type_traits>

#include "onn/hardware/operating_values.hpp"

namespace optinc {
namespace {

/// Distances in rms below which the formula of the tail is 0/0; Gaussian there.
constexpr double too_near = 1e-2;
/// Share of the variance that must not be of phases, for the cumulants to have a saddle everywhere.
constexpr double least_noise = 1e-6;
constexpr int most_steps = 60;

/// t at which the first derivative of the cumulants is `distance`: Newton's steps, halved where they leave what
/// is left.
template <class Real>
double saddle(double distance, double variance, double all, const std::vector<PhaseMove<Real>>& phases) {
  double low = -std::numeric_limits<double>::infinity(), high = -low;
  for (const PhaseMove<Real>& p : phases) {
    if (value_of(p.bend) > 0) low = std::max(low, -0.5 / value_of(p.bend));
    if (value_of(p.bend) < 0) high = std::min(high, -0.5 / value_of(p.bend));
  }
  double t = std::clamp(distance / all, 0.9 * low, 0.9 * high);
  for (int step = 0; step < most_steps; ++step) {
    double first = variance * t, second = variance;
    for (const PhaseMove<Real>& p : phases) {
      const double a = value_of(p.along2), b = value_of(p.bend), r = 1 / (1 + 2 * b * t);
      first += b * (1 - r) + a * t * (1 + b * t) * r * r;
      second += (2 * b * b + a * r) * r * r;
    }
    (first > distance ? high : low) = t;
    double next = t - (first - distance) / second;
    if (next <= low) next = (t + low) / 2;
    if (next >= high) next = (t + high) / 2;
    const double moved = std::abs(next - t);
    t = next;
    if (moved <= 1e-14 * std::abs(t)) break;
  }
  return t;
}

/// Derivatives of the cumulant function in one of its numbers: of itself, of its slope and of its curvature.
struct ByNumber {
  double k, first, second;
};

/// Adds to a number's derivatives what it follows of another's.
void follow(double&, double, double) {}
void follow(OperatingTangent& of, double slope, const OperatingTangent& by) {
  for (std::size_t i = 0; i < of.slope.size(); ++i) of.slope[i] += slope * by.slope[i];
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
  const double v = value_of(variance), d = value_of(distance);
  double all = v;
  for (const PhaseMove<Real>& p : phases) all += value_of(p.along2) + 2 * value_of(p.bend) * value_of(p.bend);
  if (phases.empty() || std::abs(d) < too_near * std::sqrt(all) || v <= least_noise * all) {
    Real sum = variance;
    for (const PhaseMove<Real>& p : phases) sum += p.along2 + 2.0 * (p.bend * p.bend);
    using std::sqrt;
    return log_normal_tail(Real(distance / sqrt(sum)));
  }
  const double t = saddle(d, v, all, phases);
  double k = v * t * t / 2, second = v, third = 0.0;
  for (const PhaseMove<Real>& p : phases) {
    const double a = value_of(p.along2), b = value_of(p.bend), r = 1 / (1 + 2 * b * t);
    k += b * t + std::log(r) / 2 + a * t * t * r / 2;
    second += (2 * b * b + a * r) * r * r;
    third -= (8 * b * b + 6 * a * r) * b * r * r * r;
  }
  const double w = (t < 0 ? -1.0 : 1.0) * std::sqrt(2 * (t * d - k)), root = std::sqrt(second), s = t * root,
               x = w + std::log(s / w) / w;
  Real found = log_normal_tail(x);
  if constexpr (std::is_same_v<Real, double>) return found;
  // the saddle is where w does not depend on t to first order; s does
  const double by_x = -std::exp(-x * x / 2 - value_of(found)) / std::sqrt(2 * std::numbers::pi),
               by_w = by_x * (1 - (1 + std::log(s / w)) / (w * w)), by_s = by_x / (s * w);
  const double s_by_t = root + t * third / (2 * root);
  const auto slope = [&](const ByNumber& by, double of_distance) {
    return by_w * (t * of_distance - by.k) / w +
           by_s * (s_by_t * (of_distance - by.first) / second + t * by.second / (2 * root));
  };
  follow(found, slope({}, 1.0), distance);
  follow(found, slope({t * t / 2, t, 1.0}, 0.0), variance);
  for (const PhaseMove<Real>& p : phases) {
    const double a = value_of(p.along2), b = value_of(p.bend), r = 1 / (1 + 2 * b * t), r2 = r * r, r3 = r2 * r;
    follow(found, slope({t * t * r / 2, t * (1 + b * t) * r2, r3}, 0.0), p.along2);
    follow(found,
           slope({t * (1 - r) - a * t * t * t * r2, 1 - r + 2 * b * t * r2 - a * t * t * (3 + 2 * b * t) * r3,
                  4 * b * r2 - (8 * b * b + 6 * a * r) * t * r3},
                 0.0),
           p.bend);
  }
  return found;
}

#define OPTINC_INSTANTIATE(Real)              \
  template Real log_normal_tail(const Real&); \
  template Real log_tail(const Real&, const Real&, const std::vector<PhaseMove<Real>>&);
OPTINC_INSTANTIATE(double)
OPTINC_INSTANTIATE(OperatingTangent)
#undef OPTINC_INSTANTIATE

}  // namespace optinc
