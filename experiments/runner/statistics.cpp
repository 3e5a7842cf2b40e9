#include "experiments/runner/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/students_t.hpp>

#include "physics/random/stream.hpp"

namespace optinc {
namespace {

constexpr double tail = 0.025, nan = std::numeric_limits<double>::quiet_NaN();

using Binomial = boost::math::binomial_distribution<double>;

Interval bootstrap_interval(std::span<const double> sample, std::uint64_t seed, std::uint32_t cell) {
  constexpr std::size_t resamples = 1000;
  Stream stream(seed, Purpose::bootstrap, cell);
  const auto n = static_cast<std::uint32_t>(sample.size());
  std::vector<double> means(resamples);
  for (double& mean : means) {
    double sum = 0.0;
    for (std::uint32_t i = 0; i < n; ++i) sum += sample[stream.below(n)];
    mean = sum / n;
  }
  std::sort(means.begin(), means.end());
  return {quantile_of(means, tail), quantile_of(means, 1 - tail)};
}

}  // namespace

double mean_of(std::span<const double> sample) {
  double sum = 0.0;
  for (const double x : sample) sum += x;
  return sum / static_cast<double>(sample.size());
}

double deviation_of(std::span<const double> sample) {
  if (sample.size() < 2) return nan;
  const double mean = mean_of(sample);
  double squares = 0.0;
  for (const double x : sample) squares += (x - mean) * (x - mean);
  return std::sqrt(squares / static_cast<double>(sample.size() - 1));
}

Interval student_interval(std::span<const double> sample) {
  if (sample.size() < 2) return {nan, nan};
  const auto n = static_cast<double>(sample.size());
  const double t = boost::math::quantile(boost::math::students_t_distribution<double>(n - 1), 1 - tail);
  const double mean = mean_of(sample), half = t * deviation_of(sample) / std::sqrt(n);
  return {mean - half, mean + half};
}

Interval mean_interval(std::span<const double> sample, std::uint64_t seed, std::uint32_t cell) {
  if (sample.size() < 2) return {nan, nan};
  if (sample.size() < bootstrap_least || sample.size() > bootstrap_most) return student_interval(sample);
  return bootstrap_interval(sample, seed, cell);
}

double quantile_of(std::span<const double> ascending, double p) {
  if (ascending.empty()) return nan;
  const double at = p * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, ascending.size() - 1);
  return ascending[below] + (at - static_cast<double>(below)) * (ascending[above] - ascending[below]);
}

Interval quantile_interval(std::span<const double> ascending, double p) {
  if (ascending.empty()) return {nan, nan};
  // K ~ B(n, p) values lie below the quantile; order statistic r (from 1) lies above the quantile when K < r
  const auto n = static_cast<std::int64_t>(ascending.size());
  const Binomial below(static_cast<double>(n), p);
  const auto value = [&](std::int64_t rank) {
    return rank >= 1 && rank <= n ? ascending[static_cast<std::size_t>(rank - 1)] : nan;
  };
  // the ranks are near n p: search outwards from there, some steps whatever n
  std::int64_t low = std::min(n, static_cast<std::int64_t>(p * static_cast<double>(n)) + 1), high = low;
  while (low >= 1 && boost::math::cdf(below, static_cast<double>(low - 1)) > tail) --low;
  while (high <= n && boost::math::cdf(boost::math::complement(below, static_cast<double>(high - 1))) > tail)
    ++high;
  return {value(low), value(high)};
}

Interval clopper_pearson(std::int64_t hits, std::int64_t n) {
  const auto trials = static_cast<double>(n), successes = static_cast<double>(hits);
  return {Binomial::find_lower_bound_on_p(trials, successes, tail),
          Binomial::find_upper_bound_on_p(trials, successes, tail)};
}

}  // namespace optinc
