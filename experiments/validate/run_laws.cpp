#include "experiments/validate/run_laws.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <omp.h>

namespace optinc {
namespace {

/// Runs `work` and returns the seconds it took.
template <class Work>
double seconds_of(Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int trials_of(const Law& law, const LawPoint& point, bool quick) {
  if (!quick || law.kind != LawKind::monte_carlo) return point.trials;
  return std::max(point.trials / 10, std::min(point.trials, 20));
}

LawResult check_law(const Law& law, const LawPoint& point, const LawOptions& options,
                    const std::function<void()>& trial_done) {
  const int trials = trials_of(law, point, options.quick);
  Measured m;
  const double seconds = seconds_of([&] { m = law.measure(point.x, {trials, options.seed, trial_done}); });
  LawVerdict v{law.row,
               law.name,
               law.point_name(point),
               std::string(name_of(law.kind)),
               law.formula,
               law.unit,
               point.x,
               law.expected(point.x),
               m.value,
               m.standard_error};
  v.tolerance = law.relative_tolerance * std::abs(v.expected) + law.absolute_tolerance;
  const double resolved = 5 * m.standard_error;
  if (options.quick) v.tolerance = std::max(v.tolerance, resolved);
  v.trials = trials;
  v.passed = std::abs(v.measured - v.expected) <= v.tolerance && resolved <= v.tolerance;
  v.seconds = seconds;
  return {&law, std::move(v), std::move(m.samples)};
}

std::vector<double> estimate_seconds(const std::vector<const Law*>& chosen, const LawOptions& options) {
  const auto timed = [&](const Law& law, const LawPoint& point) {
    if (law.stated_seconds > 0) return law.stated_seconds / static_cast<double>(law.points.size());
    if (law.kind != LawKind::monte_carlo) return 0.0;
    const int trials = trials_of(law, point, options.quick);
    const int few = std::min(trials, std::max(trials / 50, 4 * omp_get_max_threads()));
    return seconds_of([&] { law.measure(point.x, {few, options.seed}); }) * trials / few;
  };
  std::vector<double> seconds;
  for (const Law* law : chosen)
    for (const LawPoint& point : law->points) seconds.push_back(timed(*law, point));
  return seconds;
}

}  // namespace optinc
