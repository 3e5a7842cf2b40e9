#include "physics/devices/modulator.hpp"

#include <algorithm>
#include <cmath>

#include "physics/core/check_values.hpp"
#include "physics/core/units.hpp"
#include "physics/devices/modulator_rows.hpp"

namespace optinc {
namespace {

using constants::pi;

MzmSettings of_length(std::string_view device, double v_pi_length_v_m, double electrode_length_m,
                      double bandwidth_hz) {
  validate_positive("electrode_length_m", electrode_length_m);
  MzmSettings s;
  s.v_pi_v = v_pi_length_v_m / electrode_length_m;
  s.bandwidth_hz = bandwidth_hz;
  s.device = device;
  return s;
}

}  // namespace

double pam4_field_sqrt_w(double digit, double full_scale_power_w) {
  return field_sqrt_w(amplitude_encoded(digit), full_scale_power_w);
}

void validate_mzm(const MzmSettings& s) { validate_rows(s); }

std::vector<Warning> mzm_warnings(const MzmSettings& s) {
  std::vector<Warning> warnings;
  const auto expect = [&](const char* name, double value, double least, double most) {
    if (value < least || value > most)
      warnings.push_back(
          {name, fmt::format("{} = {} is outside {}..{}, where modulators lie", name, value, least, most)});
  };
  expect("v_pi_v", s.v_pi_v, 0.5, 15);
  expect("insertion_loss_db", s.insertion_loss_db, 0.5, 12);
  expect("leak", s.leak, 0, 0.18);
  expect("bandwidth_hz", s.bandwidth_hz, 1e9, 200e9);
  return warnings;
}

Complex mzm_field_factor(const MzmSettings& s, double drive_v) {
  const double x = pi * drive_v / (2 * s.v_pi_v);
  return field_ratio_of_loss_db(s.insertion_loss_db) * Complex(std::sin(x), s.leak * std::cos(x));
}

double mzm_drive_v(const MzmSettings& s, AmplitudeLevel level) {
  validate_within("amplitude level", level.of_full_scale, -1, 1);
  return s.v_pi_v * 2 / pi * std::asin(level.of_full_scale);
}

Complex mzm_field_of_level(const MzmSettings& s, double level) {
  const double driven = std::clamp(level, -1.0, 1.0);
  if (s.linearised) return {driven, s.leak * std::sqrt(1 - driven * driven)};
  return {std::sin(pi / 2 * driven), s.leak * std::cos(pi / 2 * driven)};
}

double mzm_power_of_level(const MzmSettings& s, IntensityLevel level) {
  const double driven = std::clamp(level.of_full_scale, 0.0, 1.0);
  return std::norm(mzm_field_of_level(s, s.linearised ? std::sqrt(driven) : driven));
}

double mzm_drive_v(const MzmSettings& s, IntensityLevel level) {
  validate_within("intensity level", level.of_full_scale, 0, 1);
  return mzm_drive_v(s, field_level(level));
}

MzmSettings weigel_2018_modulator(double electrode_length_m) {
  return of_length("weigel-2018-modulator", 6.6e-2, electrode_length_m, 102e9);
}

MzmSettings valdez_2022_modulator(double electrode_length_m) {
  return of_length("valdez-2022-modulator", 2.5e-2, electrode_length_m, 100e9);
}

}  // namespace optinc
