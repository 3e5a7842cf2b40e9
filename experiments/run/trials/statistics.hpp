#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace optinc {

// Statistics of independent trials. Sums run in the order given, so equal samples give equal bits. What a
// sample is too small for is NaN.

/// A value between two limits.
struct Interval {
  double low, high;
};

/// Sum over n; NaN for no values.
double mean_of(std::span<const double> sample);

/// Standard deviation with n - 1; NaN below two values.
double deviation_of(std::span<const double> sample);

/// 95 % interval of the mean, n >= 2: percentiles of 1,000 bootstrap resamples up to bootstrap_most values,
/// drawn from the stream (seed, bootstrap, cell); Student's t beyond. Source: Efron, Tibshirani 1993, ch. 13.
Interval mean_interval(std::span<const double> sample, std::uint64_t seed, std::uint32_t cell);
/// Of fewer values than bootstrap_least percentiles cover too little (80 % at 4, 92 % at 20): Student's there
/// too.
inline constexpr std::size_t bootstrap_least = 100, bootstrap_most = 500;

/// 95 % interval of the mean by Student's t: mean +- t_{0.975, n-1} s / sqrt(n), n >= 2.
Interval student_interval(std::span<const double> sample);
/// The same of a mean and its standard error, s / sqrt(n).
Interval student_interval(double mean, double standard_error, double n);

/// 95 % interval of the mean of n >= 2 shares, each in [0, 1], which never leaves [0, 1]: the p with
/// |mean - p| <= t sqrt(p (1 - p) / m), t = t_{0.975, n-1}. This is the score interval of a share of m draws
/// (Wilson 1927) with m = mean (1 - mean) / standard_error^2, the number of independent draws that would
/// scatter like the sample (effective sample size: Korn, Graubard 1998, Survey Methodology 24, 193). Where m is
/// large it is Student's interval; of shares that are all 0 or 1 it is Wilson's with m = n - 1. A sample
/// without scatter gives an interval of no width: it does not tell how often rarer values occur.
Interval share_interval(double mean, double standard_error, double n);

/// Whether a metric is a share: a mean that lies in [0, 1].
bool is_share(std::string_view metric);

/// 95 % interval of the mean of a metric over trials, as files and tables give it: mean_interval(), with
/// share_interval() in the place of Student's for shares (bootstrap percentiles do not leave [0, 1] either),
/// and clopper_pearson() for events (MetricKind), such as trainings that diverged.
Interval metric_interval(std::string_view metric, std::span<const double> sample, std::uint64_t seed,
                         std::uint32_t cell);

/// Quantile p of an ascending sample, linear between order statistics (Hyndman, Fan 1996, type 7).
double quantile_of(std::span<const double> ascending, double p);

/// Order statistics that bracket quantile p with at least 95 %, whatever the distribution: ranks from the
/// binomial (n, p), 2.5 % at most left out on either side. NaN where no order statistic is far enough out.
Interval quantile_interval(std::span<const double> ascending, double p);

/// 95 % interval of a share, `hits` of `n` >= 1 (Clopper, Pearson 1934): exact, never too narrow.
Interval clopper_pearson(std::int64_t hits, std::int64_t n);

}  // namespace optinc
