#include "experiments/run/trials/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "experiments/study/study_model.hpp"
#include "experiments/study/study_names.hpp"
#include "physics/core/parallel.hpp"
#include "physics/random/stream.hpp"

#include "tests/support/catch.hpp"

using namespace optinc;

namespace {

/// 1, 2 .. n: rank r has value r.
std::vector<double> ranks(int n) {
  std::vector<double> values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

std::vector<double> normal_sample(std::uint32_t number, std::size_t n) {
  Stream stream(2024, Purpose::test, number);
  std::vector<double> values(n);
  for (double& x : values) x = 3.0 + 2.0 * stream.normal();
  return values;
}

void check_interval(const Interval& found, double low, double high, double tolerance) {
  CHECK(std::abs(found.low - low) <= tolerance);
  CHECK(std::abs(found.high - high) <= tolerance);
}

void check_none(const Interval& found) {
  CHECK(std::isnan(found.low));
  CHECK(std::isnan(found.high));
}

}  // namespace

TEST_CASE("mean and deviation of a known sample") {
  const std::vector<double> sample = {1, 2, 3, 4, 10};  // squares about 4: 9 + 4 + 1 + 0 + 36 = 50
  CHECK(mean_of(sample) == 4.0);
  CHECK(deviation_of(sample) == Approx(std::sqrt(50.0 / 4)).epsilon(1e-15));
  const auto counted = ranks(101);  // mean (n + 1) / 2, variance n (n + 1) / 12
  CHECK(mean_of(counted) == 51.0);
  CHECK(deviation_of(counted) == Approx(std::sqrt(101 * 102 / 12.0)).epsilon(1e-14));
  CHECK(mean_of(std::vector<double>{7.5}) == 7.5);
  CHECK(std::isnan(mean_of({})));
  CHECK(std::isnan(deviation_of(std::vector<double>{7.5})));
  CHECK(std::isnan(deviation_of({})));
}

TEST_CASE("quantiles lie between order statistics") {
  const std::vector<double> sample = {1, 2, 4, 8};
  CHECK(quantile_of(sample, 0.0) == 1.0);
  CHECK(quantile_of(sample, 0.5) == 3.0);
  CHECK(quantile_of(sample, 0.25) == 1.75);
  CHECK(quantile_of(sample, 1.0) == 8.0);
  CHECK(quantile_of(std::vector<double>{5}, 0.3) == 5.0);
  const double inf = std::numeric_limits<double>::infinity();
  CHECK(quantile_of(std::vector<double>{1, inf, inf}, 0.75) == inf);  // no difference of infinite values
  CHECK(std::isnan(quantile_of({}, 0.5)));
}

TEST_CASE("Student's interval of five values") {
  // t(0.975, 4) = 2.776445, s / sqrt(n) = sqrt(2.5)
  check_interval(student_interval(std::vector<double>{1, 2, 3, 4, 10}), -0.389945, 8.389945, 1e-6);
  // t(0.975, 1) = 12.706205, s / sqrt(n) = 1
  check_interval(student_interval(std::vector<double>{-1, 1}), -12.706205, 12.706205, 1e-6);
  check_none(student_interval(std::vector<double>{1}));
  check_none(student_interval({}));
}

TEST_CASE("Clopper and Pearson's interval as published") {
  check_interval(clopper_pearson(0, 10), 0.0, 0.3085, 5e-5);
  check_interval(clopper_pearson(8, 10), 0.4439, 0.9748, 5e-5);
  check_interval(clopper_pearson(2, 10), 1 - 0.9748, 1 - 0.4439, 5e-5);
  check_interval(clopper_pearson(10, 10), 0.6915, 1.0, 5e-5);  // 0.025^(1/10)
  check_interval(clopper_pearson(1, 1), 0.025, 1.0, 1e-12);
  CHECK(clopper_pearson(0, 10).low == 0.0);
  CHECK(clopper_pearson(10, 10).high == 1.0);
}

TEST_CASE("a quantile's interval has the ranks of the binomial") {
  // n = 20: P(K <= 5) = 0.0207, P(K <= 6) = 0.0577 for K ~ B(20, 1/2)
  check_interval(quantile_interval(ranks(20), 0.5), 6, 15, 0);
  check_interval(quantile_interval(ranks(30), 0.25), 3, 13, 0);
  check_interval(quantile_interval(ranks(100), 0.95), 90, 100, 0);
  // too few for either side: 2^-5 = 0.031 is left out beyond the extremes of five values, 2^-6 of six
  check_none(quantile_interval(ranks(5), 0.5));
  check_interval(quantile_interval(ranks(6), 0.5), 1, 6, 0);
  // 0.95^71 = 0.0262, 0.95^72 = 0.0249
  CHECK(std::isnan(quantile_interval(ranks(71), 0.05).low));
  check_interval(quantile_interval(ranks(72), 0.05), 1, 9, 0);
  CHECK(std::isnan(quantile_interval(ranks(71), 0.95).high));
  check_interval(quantile_interval(ranks(72), 0.95), 64, 72, 0);
  check_none(quantile_interval({}, 0.5));
  check_none(quantile_interval(ranks(1), 0.5));
}

TEST_CASE("the interval of a mean repeats and follows seed and cell") {
  const auto sample = normal_sample(0, 120);
  const Interval one = mean_interval(sample, 5, 7);
  const auto same = [&](const Interval& other) { return one.low == other.low && one.high == other.high; };
  CHECK(same(mean_interval(sample, 5, 7)));
  CHECK_FALSE(same(mean_interval(sample, 6, 7)));
  CHECK_FALSE(same(mean_interval(sample, 5, 8)));
  CHECK(one.low < mean_of(sample));
  CHECK(one.high > mean_of(sample));
  // near the normal interval of the sample itself, of variance (n - 1) / n s^2; 1,000 resamples: 12 % at most
  const double half = 1.96 * deviation_of(sample) * std::sqrt(119.0 / 120) / std::sqrt(120.0);
  check_interval(one, mean_of(sample) - half, mean_of(sample) + half, 0.12 * half);
  const std::vector<double> flat(20, 2.5);
  check_interval(mean_interval(flat, 1, 1), 2.5, 2.5, 0);
  check_none(mean_interval(std::vector<double>{1}, 1, 1));
  check_none(mean_interval({}, 1, 1));
}

TEST_CASE("beyond the sizes of the bootstrap the interval of a mean is Student's") {
  const auto at = normal_sample(1, 500), beyond = normal_sample(1, 501);
  const auto same = [](const Interval& a, const Interval& b) { return a.low == b.low && a.high == b.high; };
  CHECK_FALSE(same(mean_interval(at, 1, 1), student_interval(at)));
  CHECK(same(mean_interval(beyond, 1, 1), student_interval(beyond)));
  CHECK(same(mean_interval(beyond, 2, 9), student_interval(beyond)));
}

// Fails where a share's interval is Student's, 0.9990 to 1.0003, or that cut off at 1
TEST_CASE("the interval of a mean of shares stays between 0 and 1") {
  std::vector<double> chips(30, 1.0);
  chips.back() = 0.99;                        // mean 1 - e, standard error e, e = 0.01 / 30
  const double e = 0.01 / 30, t = 2.0452296;  // t(0.975, 29)
  REQUIRE(student_interval(chips).high > 1.0);
  const Interval found = metric_interval("word_accuracy", chips, 1, 1);
  CHECK(found.low > 0.99);
  CHECK(found.low < mean_of(chips));
  CHECK(mean_of(chips) < found.high);
  CHECK(found.high < 1.0);
  for (const double end : {found.low, found.high}) {  // |mean - p| = t sqrt(p (1 - p) / m), m = (1 - e) / e
    const double draws = (1 - e) / e;
    CHECK(std::abs(1 - e - end) == Approx(t * std::sqrt(end * (1 - end) / draws)).epsilon(1e-6));
  }
  for (double& x : chips) x = 1 - x;  // shares of wrong words: the mirror image
  const Interval wrong = metric_interval("digit_error_rate", chips, 1, 1);
  check_interval(wrong, 1 - found.high, 1 - found.low, 1e-15);
  CHECK(metric_interval("margin", chips, 1, 1).low == student_interval(chips).low);
}

TEST_CASE("the interval of shares is Wilson's for zeros and ones, Student's where they scatter little") {
  std::vector<double> coins(30, 1.0);
  coins.back() = 0.0;
  // p = 29/30, s^2 = n p (1 - p) / (n - 1): m = 29; Wilson's limits of m draws with t(0.975, 29) = 2.0452296
  const double p = 29.0 / 30, m = 29, t2 = 2.0452296 * 2.0452296;
  const double middle = (p + t2 / (2 * m)) / (1 + t2 / m),
               half = std::sqrt(t2 * (p * (1 - p) / m + t2 / (4 * m * m))) / (1 + t2 / m);
  check_interval(metric_interval("fidelity", coins, 1, 1), middle - half, middle + half, 1e-8);
  const std::vector<double> alike = {0.5001, 0.5, 0.4999, 0.5002, 0.4998};
  const Interval student = student_interval(alike);
  check_interval(metric_interval("fidelity", alike, 1, 1), student.low, student.high,
                 1e-3 * (student.high - student.low));
  check_interval(metric_interval("fidelity", std::vector<double>(30, 1.0), 1, 1), 1, 1, 0);
  check_interval(metric_interval("fidelity", std::vector<double>(3, 0.25), 1, 1), 0.25, 0.25, 0);
  check_none(metric_interval("fidelity", std::vector<double>{0.5}, 1, 1));
  check_interval(metric_interval("diverged", std::vector<double>(10, 0.0), 1, 1), 0.0, 0.3085, 5e-5);
}

TEST_CASE("the interval of shares contains their mean and stays in range, whatever they are") {
  for (std::uint32_t i = 0; i < 2000; ++i) {
    Stream stream(7, Purpose::test, i);
    std::vector<double> values(2 + stream.below(600));
    const double edge = std::pow(10.0, -1 - static_cast<double>(stream.below(15)));
    for (double& x : values) x = stream.below(3) == 0 ? 1 - edge * stream.uniform() : 1.0;
    for (const bool mirrored : {false, true}) {
      if (mirrored)
        for (double& x : values) x = 1 - x;
      const Interval found = metric_interval("word_accuracy", values, 1, i);
      const double mean = mean_of(values), rounding = 1e-14;
      CAPTURE(i, values.size(), found.low, mean, found.high);
      const bool inside =
          0 <= found.low && found.low <= mean + rounding && mean <= found.high + rounding && found.high <= 1;
      REQUIRE(inside);
    }
  }
}

TEST_CASE("every metric that is a share is known to be one") {
  for (const std::string_view name : metric_names()) {
    const Metric& metric = *find_metric(name);
    CAPTURE(metric.name);
    const std::string said(metric.long_name);
    const bool named = metric.name.ends_with("_accuracy") || metric.name.ends_with("_rate") ||
                       said.find("hare of") == 1 || said.find("raction of") == 1;  // in lower case or upper
    if (named) CHECK(is_share(metric.name));
    if (is_share(metric.name)) CHECK(metric.unit == "1");
  }
  CHECK_FALSE(is_share("matrix_error"));
  CHECK_FALSE(is_share("clipped"));
}

TEST_CASE("MC: the interval of a mean covers it as often as it says, few values or many") {
  // 2,000 samples each; the standard error of a share of 0.95 is 0.0049: 5 sigma are 0.025, and the bootstrap
  // at 100 covers some 0.005 less
  constexpr int repetitions = 2000;
  for (const int values : {2, 4, 30, 100, 300}) {
    CAPTURE(values);
    std::vector<int> covered(repetitions);
    parallel_for(repetitions, 0, [&](int r) {
      const Interval found = mean_interval(normal_sample(static_cast<std::uint32_t>(100 + r), values), 11,
                                           static_cast<std::uint32_t>(r));
      covered[static_cast<std::size_t>(r)] = found.low <= 3.0 && 3.0 <= found.high;
    });
    const double share = std::accumulate(covered.begin(), covered.end(), 0.0) / repetitions;
    CHECK(share > 0.95 - 0.030);
    CHECK(share < 0.95 + 0.025);
  }
}
