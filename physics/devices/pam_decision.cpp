#include "physics/devices/pam_decision.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <boost/math/special_functions/erf.hpp>

#include "physics/core/check_values.hpp"

namespace optinc {
namespace {

using std::numbers::sqrt2;

void validate_count(int levels) { validate(levels >= 2, "{} levels (>= 2). Give levels >= 2.", levels); }

void validate_levels(std::span<const NoisyLevel> levels) {
  validate(levels.size() >= 2, "{} levels to decide between (>= 2). Give at least two.", levels.size());
  for (std::size_t i = 0; i < levels.size(); ++i) {
    validate_positive("rms of a level", levels[i].rms);
    validate(i == 0 || levels[i].mean > levels[i - 1].mean,
             "level {} at {} follows one at {} (means ascend). Sort the levels.", i, levels[i].mean,
             i == 0 ? 0.0 : levels[i - 1].mean);
  }
}

template <class Between>
std::vector<double> thresholds_by(std::span<const NoisyLevel> levels, Between between) {
  validate_levels(levels);
  std::vector<double> thresholds;
  for (std::size_t i = 0; i + 1 < levels.size(); ++i) thresholds.push_back(between(levels[i], levels[i + 1]));
  return thresholds;
}

}  // namespace

double normal_tail(double x) { return std::erfc(x / sqrt2) / 2; }

double pam_symbol_error_rate(int levels, double q) {
  validate_count(levels);
  return 2 * (1 - 1.0 / levels) * normal_tail(q);
}

double pam_q_of_symbol_error_rate(int levels, double symbol_error_rate) {
  validate_count(levels);
  const double most = 1 - 1.0 / levels;
  validate_field(symbol_error_rate > 0 && symbol_error_rate < most, "symbol_error_rate",
                 "{} (between 0 and {}, what a closed eye gives). Give one in between.", symbol_error_rate,
                 most);
  return sqrt2 * boost::math::erfc_inv(symbol_error_rate / most);
}

double gray_bit_error_rate(int levels, double symbol_error_rate) {
  validate_count(levels);
  return symbol_error_rate / std::log2(levels);
}

std::vector<double> equal_q_thresholds(std::span<const NoisyLevel> levels) {
  return thresholds_by(levels, [](const NoisyLevel& a, const NoisyLevel& b) {
    return (b.rms * a.mean + a.rms * b.mean) / (a.rms + b.rms);
  });
}

double symbol_error_rate(std::span<const NoisyLevel> levels, std::span<const double> thresholds) {
  validate_levels(levels);
  validate(thresholds.size() + 1 == levels.size() && std::is_sorted(thresholds.begin(), thresholds.end()),
           "{} thresholds between {} levels (one fewer, ascending). Give one between each two.",
           thresholds.size(), levels.size());
  double errors = 0.0;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (i > 0) errors += normal_tail((levels[i].mean - thresholds[i - 1]) / levels[i].rms);
    if (i + 1 < levels.size()) errors += normal_tail((thresholds[i] - levels[i].mean) / levels[i].rms);
  }
  return errors / static_cast<double>(levels.size());
}

double symbol_error_rate(std::span<const NoisyLevel> levels) {
  return symbol_error_rate(levels, equal_q_thresholds(levels));
}

int pam_decision(std::span<const double> thresholds, double value) {
  return static_cast<int>(std::upper_bound(thresholds.begin(), thresholds.end(), value) - thresholds.begin());
}

double sensitivity_oma_w(int levels, double symbol_error_rate, double noise_a, double responsivity_a_per_w) {
  validate_not_negative("noise_a", noise_a);
  validate_positive("responsivity_a_per_w", responsivity_a_per_w);
  return 2 * (levels - 1) * pam_q_of_symbol_error_rate(levels, symbol_error_rate) * noise_a /
         responsivity_a_per_w;
}

}  // namespace optinc
