#include "physics/devices/adc.hpp"

#include <algorithm>
#include <cmath>

#include "physics/core/check_values.hpp"
#include "physics/devices/adc_rows.hpp"

namespace optinc {
namespace {

const double db_per_bit = 20 * std::log10(2.0);
const double db_of_sine = 10 * std::log10(1.5);

}  // namespace

void validate_adc(const AdcSettings& s) {
  validate_rows(s);
  validate_positive("full_scale", s.full_scale);
  validate_field(s.effective_bits <= s.bits, "effective_bits",
                 "{} of a converter with {} bits (no more than the bits). Give effective_bits <= {}.",
                 s.effective_bits, s.bits, s.bits);
}

double adc_step(const AdcSettings& s) { return std::ldexp(s.full_scale, 1 - s.bits); }

double adc_quantise(const AdcSettings& s, double input) {
  const double step = adc_step(s), outermost = s.full_scale - step / 2;
  return std::clamp((std::floor(input / step) + 0.5) * step, -outermost, outermost);
}

double adc_noise(const AdcSettings& s) {
  return std::sqrt(std::max(0.0, adc_noise_variance(s, s.effective_bits)));
}

double adc_power_w(const AdcSettings& adc, double samples_per_s) {
  validate_adc(adc);
  validate_not_negative("samples_per_s", samples_per_s);
  return adc_conversion_j(adc, adc.effective_bits) * samples_per_s;
}

}  // namespace optinc
