#include "experiments/validate/measure.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "experiments/base/interrupt.hpp"
#include "physics/core/parallel.hpp"

namespace optinc {

Measured estimate(Statistic statistic, std::vector<double> sample) {
  const auto r = static_cast<double>(sample.size());
  double mean = 0.0, m2 = 0.0, m4 = 0.0;
  for (const double v : sample) mean += v / r;
  const double centre = statistic == Statistic::rms ? 0.0 : mean;
  for (const double v : sample) {
    const double square = (v - centre) * (v - centre);
    m2 += square / r;
    m4 += square * square / r;
  }
  if (statistic == Statistic::mean) return {mean, std::sqrt(m2 / (r - 1)), std::move(sample)};
  const double root = std::sqrt(m2);
  const double error = root > 0 ? std::sqrt(std::max(0.0, m4 - m2 * m2) / r) / (2 * root) : 0.0;
  return {root, error, std::move(sample)};
}

std::vector<double> run_trials(const OneTrial& one, double x, const Effort& effort) {
  std::vector<double> values(static_cast<std::size_t>(effort.trials));
  parallel_for(effort.trials, [&](int i) {
    check_interrupt();
    values[static_cast<std::size_t>(i)] = one(x, {effort.seed, static_cast<std::uint32_t>(i)});
    effort.trial_done();
  });
  return values;
}

Measure over_trials(Statistic statistic, OneTrial one) {
  return [statistic, one = std::move(one)](double x, const Effort& effort) {
    return estimate(statistic, run_trials(one, x, effort));
  };
}

Measure largest_of(OneTrial one) {
  return [one = std::move(one)](double x, const Effort& effort) {
    double largest = 0.0;
    for (const double v : run_trials(one, x, effort))
      largest = std::isnan(v) ? v : std::isnan(largest) ? largest : std::max(largest, v);
    return Measured{largest, 0.0, {}};
  };
}

Measure value_of(std::function<double(double)> value) {
  return [value = std::move(value)](double x, const Effort&) { return Measured{value(x), 0.0, {}}; };
}

}  // namespace optinc
