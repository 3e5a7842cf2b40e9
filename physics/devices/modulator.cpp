#include "physics/devices/modulator.hpp"

#include <cmath>

#include "physics/core/check_values.hpp"
#include "physics/core/units.hpp"

namespace optinc {
namespace {

using constants::pi;

MzmSettings of_length(double v_pi_length_v_m, double electrode_length_m, double bandwidth_hz) {
  validate_positive("electrode_length_m", electrode_length_m);
  MzmSettings s;
  s.v_pi_v = v_pi_length_v_m / electrode_length_m;
  s.bandwidth_hz = bandwidth_hz;
  return s;
}

}  // namespace

double pam4_field_sqrt_w(double digit, double full_scale_power_w) {
  return field_sqrt_w(amplitude_encoded(digit), full_scale_power_w);
}

void validate_mzm(const MzmSettings& s) {
  validate_positive("v_pi_v", s.v_pi_v);
  validate_not_negative("insertion_loss_db", s.insertion_loss_db);
  validate(s.extinction_ratio_db >= 0,
           "extinction_ratio_db = {} (>= 0, infinite for a perfect null). Give extinction_ratio_db >= 0.",
           s.extinction_ratio_db);
  validate_positive("bandwidth_hz", s.bandwidth_hz);
}

std::vector<std::string> mzm_warnings(const MzmSettings& s) {
  std::vector<std::string> warnings;
  const auto expect = [&](const char* name, double value, double least, double most) {
    if (value < least || value > most)
      warnings.push_back(
          fmt::format("{} = {} is outside {}..{}, where modulators lie", name, value, least, most));
  };
  expect("v_pi_v", s.v_pi_v, 0.5, 15);
  expect("insertion_loss_db", s.insertion_loss_db, 0.5, 12);
  expect("extinction_ratio_db", s.extinction_ratio_db, 15, 45);
  expect("bandwidth_hz", s.bandwidth_hz, 1e9, 200e9);
  return warnings;
}

Complex mzm_field_factor(const MzmSettings& s, double drive_v) {
  const double x = pi * drive_v / (2 * s.v_pi_v);
  return field_ratio_of_loss_db(s.insertion_loss_db) *
         Complex(std::sin(x), field_ratio_of_loss_db(s.extinction_ratio_db) * std::cos(x));
}

double mzm_drive_v(const MzmSettings& s, AmplitudeLevel level) {
  validate_within("amplitude level", level.of_full_scale, -1, 1);
  return s.v_pi_v * 2 / pi * std::asin(level.of_full_scale);
}

double mzm_drive_v(const MzmSettings& s, IntensityLevel level) {
  validate_within("intensity level", level.of_full_scale, 0, 1);
  return mzm_drive_v(s, field_level(level));
}

MzmSettings weigel_2018_modulator(double electrode_length_m) {
  return of_length(6.6e-2, electrode_length_m, 102e9);
}

MzmSettings valdez_2022_modulator(double electrode_length_m) {
  return of_length(2.5e-2, electrode_length_m, 100e9);
}

}  // namespace optinc
