#pragma once

#include <cmath>
#include <numbers>
#include <string_view>

#include "physics/core/tangent.hpp"

namespace optinc {

/// Analog-to-digital converter: 2^bits equal steps over -FS..+FS, readings in the middle of their step.
/// Defaults: typical above 50 GS/s (assumed).
struct AdcSettings {
  int bits = 7;                 ///< (5-8; 1..24 accepted)
  double full_scale = 1.0;      ///< FS, in the unit of the input
  double effective_bits = 5.0;  ///< ENOB, steps and noise together (4.5-5.5 over 50 GS/s); = bits for no noise
  double step_j = 100e-15;      ///< energy of a conversion step, its figure of merit (30-300 fJ above 30 GS/s)
  double delay_s = 1e-9;        ///< of its pipeline
  std::string_view device = "typical-converter";  ///< part that the values come from, but for those changed
};

/// Throws Error, naming the field, for bits outside 1..24, full scale <= 0, or effective bits outside (0,
/// bits].
void validate_adc(const AdcSettings& adc);

/// Width of a step, 2 FS/2^bits.
double adc_step(const AdcSettings& adc);

/// Reading without noise: the middle of the step that holds the input, clipped to the outermost ones; off by
/// half a step at most inside -FS..FS, rms step/sqrt(12).
double adc_quantise(const AdcSettings& adc, double input);

/// rms of the noise that, with the steps' own, makes the effective bits: variance FS^2/3 (4^-ENOB - 4^-bits).
double adc_noise(const AdcSettings& adc);

/// Its variance for other effective bits. Real: double, or a number with derivatives.
template <class Real>
Real adc_noise_variance(const AdcSettings& adc, const Real& effective_bits) {
  using std::exp;
  return adc.full_scale * adc.full_scale / 3 *
         (exp(-2 * std::numbers::ln2 * effective_bits) - std::exp(-2 * std::numbers::ln2 * adc.bits));
}

/// Electrical power of a converter, W: E_step 2^ENOB f_s, with the energy of one conversion step as its figure
/// of merit (R. H. Walden 1999, IEEE J. Sel. Areas Commun. 17, 539). Throws Error as validate_adc does, or for
/// a negative rate.
double adc_power_w(const AdcSettings& adc, double samples_per_s);

/// Energy of a conversion of other effective bits, J: E_step 2^ENOB.
template <class Real>
Real adc_conversion_j(const AdcSettings& adc, const Real& effective_bits) {
  using std::exp;
  return adc.step_j * exp(std::numbers::ln2 * effective_bits);
}

}  // namespace optinc
