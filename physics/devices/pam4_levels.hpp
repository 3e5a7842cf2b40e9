#pragma once

#include <array>
#include <compare>
#include <span>

#include "physics/core/field.hpp"

/// \file pam4_levels.hpp Levels of a PAM4 digit as two types that do not mix: a mean of intensities is not the
/// mean of fields. Both count in parts of the level of digit 3:
///
///   AmplitudeLevel  E = level sqrt(P_3)          amplitude encoding E = (d/3) sqrt(P_3); may be negative
///   IntensityLevel  P = level P_3, E = sqrt(P)   intensity encoding P = (d/3) P_3, Ethernet's; >= 0
///
/// Fields of amplitude levels may be averaged by a coherent combiner, intensities by a photodiode. Crossing
/// over takes a call that says so, `detected` (square law) or `field_level` (square root).

namespace optinc {

/// A number that adds up only with its own kind.
template <class Kind>
struct Level {
  double of_full_scale = 0.0;

  constexpr Level() = default;
  /// A level at this part of full scale.
  constexpr explicit Level(double part_of_full_scale) : of_full_scale(part_of_full_scale) {}

  friend constexpr Level operator+(Level a, Level b) { return Level(a.of_full_scale + b.of_full_scale); }
  friend constexpr Level operator-(Level a, Level b) { return Level(a.of_full_scale - b.of_full_scale); }
  friend constexpr Level operator*(double factor, Level a) { return Level(factor * a.of_full_scale); }
  friend constexpr auto operator<=>(Level, Level) = default;
};
using AmplitudeLevel = Level<struct AmplitudeKind>;  ///< of a field
using IntensityLevel = Level<struct IntensityKind>;  ///< of a power

/// The largest PAM4 digit, whose level is full scale.
inline constexpr double pam4_full_scale_digit = 3.0;

/// Level of a digit whose field is linear in it, d/3; any real d, negative ones with opposite phase.
constexpr AmplitudeLevel amplitude_encoded(double digit) {
  return AmplitudeLevel(digit / pam4_full_scale_digit);
}

/// Level of a digit whose power is linear in it, d/3. Throws Error for d < 0: no power is.
IntensityLevel intensity_encoded(double digit);

/// Digit of a level, 3 x level.
constexpr double digit_of(AmplitudeLevel level) { return pam4_full_scale_digit * level.of_full_scale; }
constexpr double digit_of(IntensityLevel level) {
  return pam4_full_scale_digit * level.of_full_scale;
}  ///< the same

/// What a photodiode makes of a field level: its square, the sign lost. Amplitude-encoded digits 0, 1, 2, 3
/// come out at 0, 1/9, 4/9, 1.
constexpr IntensityLevel detected(AmplitudeLevel level) {
  return IntensityLevel(level.of_full_scale * level.of_full_scale);
}

/// Field level, >= 0, that has this intensity: its square root. Throws Error for a negative one.
AmplitudeLevel field_level(IntensityLevel level);

/// Field of a level, sqrt(W), `full_scale_power_w` being the power of digit 3.
double field_sqrt_w(AmplitudeLevel level, double full_scale_power_w);
double field_sqrt_w(IntensityLevel level, double full_scale_power_w);  ///< the same

/// What a lossless coherent combiner of N equal arms yields, up to its sqrt(N): the mean of the fields. Exists
/// for amplitude levels alone. Throws Error for none.
AmplitudeLevel coherent_mean(std::span<const AmplitudeLevel> levels);

/// What a photodiode under N mutually incoherent signals yields, up to its N: the mean of the powers. Throws
/// Error for none.
IntensityLevel incoherent_mean(std::span<const IntensityLevel> levels);

/// Ratio of level mismatch of four levels (volts, watts or amperes), 1 when they are equally spaced: with
/// V_mid = (V_0 + V_3)/2, ES_1 = (V_1 - V_mid)/(V_0 - V_mid), ES_2 = (V_2 - V_mid)/(V_3 - V_mid),
/// RLM = min(3 ES_1, 3 ES_2, 2 - 3 ES_1, 2 - 3 ES_2) (IEEE 802.3, Annex 120D). Links ask for 0.92-0.95. Throws
/// Error when V_0 = V_3.
double level_mismatch_ratio(std::span<const double, 4> levels);

/// Four levels from 0 to 1 with that ratio, the inner two drawn together evenly: 0, 1/2 -+ RLM/6, 1: what a
/// compressing driver does. Throws Error for a ratio outside [0, 1].
std::array<double, 4> levels_with_mismatch_ratio(double ratio);

}  // namespace optinc
