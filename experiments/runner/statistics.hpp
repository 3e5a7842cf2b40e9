#pragma once

#include <cstdint>
#include <span>

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

/// Quantile p of an ascending sample, linear between order statistics (Hyndman, Fan 1996, type 7).
double quantile_of(std::span<const double> ascending, double p);

/// Order statistics that bracket quantile p with at least 95 %, whatever the distribution: ranks from the
/// binomial (n, p), 2.5 % at most left out on either side. NaN where no order statistic is far enough out.
Interval quantile_interval(std::span<const double> ascending, double p);

/// 95 % interval of a share, `hits` of `n` >= 1 (Clopper, Pearson 1934): exact, never too narrow.
Interval clopper_pearson(std::int64_t hits, std::int64_t n);

}  // namespace optinc
