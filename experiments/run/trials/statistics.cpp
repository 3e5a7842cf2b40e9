#include "experiments/run/trials/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <boost/iterator/counting_iterator.hpp>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/students_t.hpp>

#include "experiments/study/study_model.hpp"
#include "physics/random/stream.hpp"

namespace optinc {
namespace {

constexpr double tail = 0.025, nan = std::numeric_limits<double>::quiet_NaN();

using Binomial = boost::math::binomial_distribution<double>;

double student_quantile(double n) {
  return boost::math::quantile(boost::math::students_t_distribution<double>(n - 1), 1 - tail);
}

bool by_bootstrap(std::size_t n) { return n >= bootstrap_least && n <= bootstrap_most; }

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
  return student_interval(mean_of(sample), deviation_of(sample) / std::sqrt(n), n);
}

Interval student_interval(double mean, double standard_error, double n) {
  const double half = student_quantile(n) * standard_error;
  return {mean - half, mean + half};
}

Interval share_interval(double mean, double standard_error, double n) {
  const double p = std::clamp(mean, 0.0, 1.0);  // rounding may carry a sum of ones past 1
  if (standard_error == 0.0 || p == 0.0 || p == 1.0) return {p, p};
  const double t = student_quantile(n), e = t * standard_error, d = e * e / (p * (1 - p));  // d = t^2 / m
  const double middle = p + d / 2, half = std::sqrt(e * e + d * d / 4);
  // the smaller root from the product of both, p^2 / (1 + d), which loses no digits; its mirror image for 1 - p
  const double low = p * p / (middle + half), rest = (1 - p) * (1 - p) / (1 - p + d / 2 + half);
  return {std::clamp(low, 0.0, p), std::clamp(1 - rest, p, 1.0)};
}

bool is_share(std::string_view metric) {
  const Metric* known = find_metric(metric);
  return known != nullptr && (known->kind == MetricKind::share || known->kind == MetricKind::event);
}

Interval metric_interval(std::string_view metric, std::span<const double> sample, std::uint64_t seed,
                         std::uint32_t cell) {
  if (sample.size() < 2) return {nan, nan};
  if (const Metric* known = find_metric(metric); known != nullptr && known->kind == MetricKind::event)
    return clopper_pearson(std::count(sample.begin(), sample.end(), 1.0),
                           static_cast<std::int64_t>(sample.size()));
  if (!is_share(metric) || by_bootstrap(sample.size())) return mean_interval(sample, seed, cell);
  const auto n = static_cast<double>(sample.size());
  return share_interval(mean_of(sample), deviation_of(sample) / std::sqrt(n), n);
}

Interval mean_interval(std::span<const double> sample, std::uint64_t seed, std::uint32_t cell) {
  if (sample.size() < 2) return {nan, nan};
  return by_bootstrap(sample.size()) ? bootstrap_interval(sample, seed, cell) : student_interval(sample);
}

double quantile_of(std::span<const double> ascending, double p) {
  if (ascending.empty()) return nan;
  const double at = p * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, ascending.size() - 1);
  if (ascending[below] == ascending[above]) return ascending[below];  // infinite values have no difference
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
  const auto beside = std::min(n, static_cast<std::int64_t>(p * static_cast<double>(n)) + 1);
  using Rank = boost::counting_iterator<std::int64_t>;
  const auto low = std::partition_point(Rank(1), Rank(beside + 1), [&](std::int64_t rank) {
    return boost::math::cdf(below, static_cast<double>(rank - 1)) <= tail;
  });
  const auto high = std::partition_point(Rank(beside), Rank(n + 1), [&](std::int64_t rank) {
    return boost::math::cdf(boost::math::complement(below, static_cast<double>(rank - 1))) > tail;
  });
  return {value(*low - 1), value(*high)};
}

Interval clopper_pearson(std::int64_t hits, std::int64_t n) {
  const auto trials = static_cast<double>(n), successes = static_cast<double>(hits);
  return {Binomial::find_lower_bound_on_p(trials, successes, tail),
          Binomial::find_upper_bound_on_p(trials, successes, tail)};
}

}  // namespace optinc
