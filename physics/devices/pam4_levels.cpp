#include "physics/devices/pam4_levels.hpp"

#include <algorithm>
#include <cmath>

#include "physics/core/check_values.hpp"

namespace optinc {
namespace {

template <class L>
L mean(std::span<const L> levels) {
  validate(!levels.empty(), "a mean of no levels (it is not defined). Give at least one.");
  L sum;
  for (const L level : levels) sum = sum + level;
  return (1.0 / static_cast<double>(levels.size())) * sum;
}

}  // namespace

IntensityLevel intensity_encoded(double digit) {
  validate_not_negative("digit", digit);
  return IntensityLevel(digit / pam4_full_scale_digit);
}

AmplitudeLevel field_level(IntensityLevel level) {
  validate_not_negative("intensity level", level.of_full_scale);
  return AmplitudeLevel(std::sqrt(level.of_full_scale));
}

double field_sqrt_w(AmplitudeLevel level, double full_scale_power_w) {
  return level.of_full_scale * std::sqrt(full_scale_power_w);
}

double field_sqrt_w(IntensityLevel level, double full_scale_power_w) {
  return field_sqrt_w(field_level(level), full_scale_power_w);
}

AmplitudeLevel coherent_mean(std::span<const AmplitudeLevel> levels) { return mean(levels); }
IntensityLevel incoherent_mean(std::span<const IntensityLevel> levels) { return mean(levels); }

double level_mismatch_ratio(std::span<const double, 4> v) {
  validate(v[0] != v[3],
           "lowest and highest level are both {} (the ratio counts in their distance). Set them apart.", v[0]);
  const double middle = (v[0] + v[3]) / 2;
  const double es1 = (v[1] - middle) / (v[0] - middle), es2 = (v[2] - middle) / (v[3] - middle);
  return std::min({3 * es1, 3 * es2, 2 - 3 * es1, 2 - 3 * es2});
}

std::array<double, 4> levels_with_mismatch_ratio(double ratio) {
  validate_within("level mismatch ratio", ratio, 0, 1);
  return {0.0, 0.5 - ratio / 6, 0.5 + ratio / 6, 1.0};
}

}  // namespace optinc
