// Modulator, and the levels it writes.

#include "physics/devices/modulator.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "physics/devices/power_divider.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

template <class L>
concept AveragesCoherently = requires(std::span<const L> levels) {
  coherent_mean(levels);
};
template <class A, class B>
concept AddsUp = requires(A a, B b) {
  a + b;
};
template <class A, class B>
concept Compares = requires(A a, B b) {
  a == b;
};

// Fails to compile when a level of one kind may be taken for the other
static_assert(AveragesCoherently<AmplitudeLevel> && !AveragesCoherently<IntensityLevel>);
static_assert(AddsUp<AmplitudeLevel, AmplitudeLevel> && AddsUp<IntensityLevel, IntensityLevel>);
static_assert(!AddsUp<AmplitudeLevel, IntensityLevel> && !AddsUp<IntensityLevel, double>);
static_assert(!Compares<AmplitudeLevel, IntensityLevel> && !Compares<AmplitudeLevel, double>);
static_assert(!std::is_convertible_v<AmplitudeLevel, IntensityLevel>);
static_assert(!std::is_convertible_v<IntensityLevel, AmplitudeLevel>);
static_assert(!std::is_constructible_v<AmplitudeLevel, IntensityLevel>);
static_assert(!std::is_convertible_v<double, AmplitudeLevel> && !std::is_convertible_v<AmplitudeLevel, double>);

MzmSettings perfect() {
  MzmSettings s;
  s.insertion_loss_db = 0;
  s.leak = 0;
  return s;
}

}  // namespace

// Fails when asin is taken of the wrong root, or the voltage in units of 2 V_pi
TEST_CASE("modulator: PAM4 drives of both encodings, in half-wave voltages") {
  MzmSettings s;
  s.v_pi_v = 3.0;
  const std::array<double, 4> linear_field = {0, 0.21635, 0.46456, 1}, linear_power = {0, 0.39183, 0.60817, 1};
  for (std::size_t d = 0; d < 4; ++d) {
    CAPTURE(d);
    CHECK(mzm_drive_v(s, amplitude_encoded(static_cast<double>(d))) / 3 ==
          Approx(linear_field[d]).margin(5.1e-6));
    CHECK(mzm_drive_v(s, intensity_encoded(static_cast<double>(d))) / 3 ==
          Approx(linear_power[d]).margin(5.1e-6));
  }
  CHECK(mzm_drive_v(s, AmplitudeLevel(-0.5)) == Approx(-1.0).epsilon(1e-14));  // asin(1/2) = pi/6
}

// Fails when the null's leak is in phase, or the loss acts on the power twice
TEST_CASE("modulator: what is driven for a level comes out, sign kept, extinction as stated") {
  const MzmSettings s = perfect();
  for (const double digit : {-3.0, -1.0, 0.0, 0.25, 1.0, 2.0, 3.0}) {
    CAPTURE(digit);
    const Complex e = mzm_field_factor(s, mzm_drive_v(s, amplitude_encoded(digit)));
    CHECK(std::abs(e - digit / 3) < 1e-15);
    if (digit >= 0)
      CHECK(std::norm(mzm_field_factor(s, mzm_drive_v(s, intensity_encoded(digit)))) ==
            Approx(digit / 3).margin(1e-15));
  }
  MzmSettings real;
  real.insertion_loss_db = 4;
  real.leak = std::pow(10.0, -28 / 20.0);
  const double full = std::norm(mzm_field_factor(real, real.v_pi_v)),
               null = std::norm(mzm_field_factor(real, 0));
  CHECK(10 * std::log10(full) == Approx(-4).epsilon(1e-12));
  CHECK(10 * std::log10(full / null) == Approx(28).epsilon(1e-12));
  CHECK(mzm_field_factor(real, 0).real() == 0.0);
  for (double v = -8; v <= 8; v += 0.37) {
    CAPTURE(v);
    CHECK(mzm_field_factor(real, v).real() == Approx(-mzm_field_factor(real, -v).real()).margin(1e-15));
    CHECK(std::norm(mzm_field_factor(real, v)) <= full * (1 + 1e-14));  // passive
  }
}

// Fails when the sine is left out of a drive that is linear in the level, or the driver has no limit
TEST_CASE("modulator: the field of a level, with the drive that undoes the sine and with a linear one") {
  MzmSettings s;
  s.leak = 0.04;
  for (const double level : {-1.0, -0.4, 0.0, 0.3, 1.0}) {
    CAPTURE(level);
    s.linearised = true;
    const double full = std::abs(mzm_field_factor(s, s.v_pi_v));
    CHECK(std::abs(full * mzm_field_of_level(s, level) -
                   mzm_field_factor(s, mzm_drive_v(s, AmplitudeLevel(level)))) < 1e-15);
    s.linearised = false;
    CHECK(std::abs(full * mzm_field_of_level(s, level) - mzm_field_factor(s, level * s.v_pi_v)) < 1e-15);
  }
  for (s.linearised = false; !s.linearised; s.linearised = true) {
    CHECK(mzm_field_of_level(s, 1.2) == mzm_field_of_level(s, 1.0));
    CHECK(mzm_field_of_level(s, -3.0) == mzm_field_of_level(s, -1.0));
  }
}

// Fails when the level is taken for that of a field, or the leak is added to the field
TEST_CASE(
    "modulator: the power of an intensity level, with the drive that undoes the sine and with a linear one") {
  MzmSettings s;
  s.leak = 0.1;
  const double full = std::norm(mzm_field_factor(s, s.v_pi_v));
  for (const double level : {0.0, 0.3, 1.0}) {
    CAPTURE(level);
    s.linearised = true;
    CHECK(mzm_power_of_level(s, IntensityLevel(level)) == Approx(level + 0.01 * (1 - level)).epsilon(1e-14));
    CHECK(full * mzm_power_of_level(s, IntensityLevel(level)) ==
          Approx(std::norm(mzm_field_factor(s, mzm_drive_v(s, IntensityLevel(level))))).epsilon(1e-13));
    s.linearised = false;
    CHECK(full * mzm_power_of_level(s, IntensityLevel(level)) ==
          Approx(std::norm(mzm_field_factor(s, level * s.v_pi_v))).epsilon(1e-13));
    CHECK(mzm_power_of_level(s, IntensityLevel(1.2)) == 1.0);
  }
}

// Fails when the swing enters linearly
TEST_CASE("modulator: a driver takes 1 pJ for a swing of 4 V, a quarter of it for 2 V") {
  CHECK(drive_energy_j({}, 4.0) == Approx(1e-12).epsilon(1e-14));
  CHECK(drive_energy_j({}, 2.0) == Approx(0.25e-12).epsilon(1e-14));
  // a linear driver draws its current whatever it sends
  CHECK(drive_energy_j({.driver_j = 4e-12, .drive_capacitance_f = 0}, 1.3) == 4e-12);
  CHECK(drive_energy_j({.driver_j = 4e-12}, 2.0) == Approx(4.25e-12).epsilon(1e-14));
}

// Fails when intensities are averaged as if they were fields
TEST_CASE("levels: the combiner's mean of fields is the digits' mean in amplitude encoding alone") {
  const std::array<double, 4> digits = {0, 1, 3, 3};  // mean 1.75
  std::vector<AmplitudeLevel> amplitudes;
  std::vector<IntensityLevel> intensities;
  std::vector<Complex> amplitude_fields, intensity_fields;
  for (const double d : digits) {
    amplitudes.push_back(amplitude_encoded(d));
    intensities.push_back(intensity_encoded(d));
    amplitude_fields.push_back(field_sqrt_w(amplitudes.back(), 4e-3));
    intensity_fields.push_back(field_sqrt_w(intensities.back(), 4e-3));
  }
  const auto digit_of_fields = [](const std::vector<Complex>& fields) {  // combiner of 4: 2 x the mean
    return 3 * combine(fields).real() / (2 * std::sqrt(4e-3));
  };
  CHECK(digit_of(coherent_mean(amplitudes)) == Approx(1.75).epsilon(1e-14));
  CHECK(digit_of_fields(amplitude_fields) == Approx(1.75).epsilon(1e-14));
  CHECK(digit_of(incoherent_mean(intensities)) == Approx(1.75).epsilon(1e-14));
  // coherently combined intensities: (1/4) sum sqrt(d/3) = 0.64434, its square 0.41517, digit 1.2455
  CHECK(digit_of_fields(intensity_fields) == Approx(3 * 0.6443375672974064).epsilon(1e-12));
  std::vector<AmplitudeLevel> roots;
  for (const IntensityLevel level : intensities) roots.push_back(field_level(level));
  CHECK(digit_of(detected(coherent_mean(roots))) == Approx(1.2455127).epsilon(1e-6));
}

TEST_CASE("levels: square law and square root") {
  const std::array<double, 4> ninths = {0, 1, 4, 9};
  for (std::size_t d = 0; d < 4; ++d)
    CHECK(detected(amplitude_encoded(static_cast<double>(d))).of_full_scale ==
          Approx(ninths[d] / 9).epsilon(1e-14));
  CHECK(detected(amplitude_encoded(-2)) == detected(amplitude_encoded(2)));
  CHECK(field_level(IntensityLevel(0.25)) == AmplitudeLevel(0.5));
  CHECK(field_sqrt_w(intensity_encoded(1), 3e-3) == Approx(std::sqrt(1e-3)).epsilon(1e-14));
  CHECK(amplitude_encoded(1) < amplitude_encoded(2));
  CHECK(2.0 * amplitude_encoded(1) - amplitude_encoded(1) == amplitude_encoded(1));
  check_message(refusal([] { intensity_encoded(-1); }), {"digit = -1"});
  check_message(refusal([] { field_level(IntensityLevel(-0.1)); }), {"intensity level"});
  check_message(refusal([] { coherent_mean({}); }), {"no levels"});
  check_message(refusal([] { mzm_drive_v({}, AmplitudeLevel(1.01)); }), {"amplitude level = 1.01"});
  check_message(refusal([] { mzm_drive_v({}, IntensityLevel(-0.01)); }), {"intensity level"});
}

// Fails when the middle is the mean of the four levels, or 2 - 3 ES is left out
TEST_CASE("levels: mismatch ratio of IEEE 802.3") {
  CHECK(level_mismatch_ratio(std::array{0.0, 1.0, 2.0, 3.0}) == Approx(1).epsilon(1e-14));
  CHECK(level_mismatch_ratio(std::array{-7.0, -5.0, -3.0, -1.0}) == Approx(1).epsilon(1e-14));
  CHECK(level_mismatch_ratio(std::array{3.0, 2.0, 1.0, 0.0}) == Approx(1).epsilon(1e-14));  // inverted
  // 0, 1.05, 2, 3: ES_1 = 0.45/1.5, 3 x 0.3 = 0.9
  CHECK(level_mismatch_ratio(std::array{0.0, 1.05, 2.0, 3.0}) == Approx(0.9).epsilon(1e-12));
  // 0, 1, 2.1, 3: ES_2 = 0.6/1.5 = 0.4, 2 - 1.2 = 0.8
  CHECK(level_mismatch_ratio(std::array{0.0, 1.0, 2.1, 3.0}) == Approx(0.8).epsilon(1e-12));
  // square-law detection of amplitude digits, 0 1 4 9: ES_1 = 3.5/4.5, 2 - 3 x 7/9 = -1/3
  CHECK(level_mismatch_ratio(std::array{0.0, 1.0, 4.0, 9.0}) == Approx(-1.0 / 3).epsilon(1e-12));
  for (const double ratio : {0.0, 0.85, 0.92, 0.97, 1.0})
    CHECK(level_mismatch_ratio(levels_with_mismatch_ratio(ratio)) == Approx(ratio).margin(1e-14));
  check_message(refusal([] { level_mismatch_ratio(std::array{1.0, 0.0, 2.0, 1.0}); }), {"both 1"});
  check_message(refusal([] { levels_with_mismatch_ratio(1.1); }), {"1.1"});
}

// Fails when a published number is changed: V_pi L and bandwidth of the abstracts
TEST_CASE("modulator: published ones") {
  CHECK(weigel_2018_modulator(1e-2).v_pi_v == Approx(6.6).epsilon(1e-12));
  CHECK(weigel_2018_modulator(5e-3).v_pi_v == Approx(13.2).epsilon(1e-12));
  CHECK(weigel_2018_modulator().bandwidth_hz == 102e9);
  CHECK(valdez_2022_modulator(1e-2).v_pi_v >= 2.0);
  CHECK(valdez_2022_modulator(1e-2).v_pi_v <= 3.0);
  CHECK(valdez_2022_modulator().bandwidth_hz == 100e9);
  CHECK(mzm_warnings({}).empty());
  CHECK(mzm_warnings(weigel_2018_modulator()).empty());
  CHECK(mzm_warnings(valdez_2022_modulator()).empty());
  check_message(refusal([] { weigel_2018_modulator(0); }), {"electrode_length_m"});
}

TEST_CASE("modulator: impossible ones are refused by name, odd ones are reported") {
  CHECK_NOTHROW(validate_mzm(perfect()));
  const auto check = [](double MzmSettings::*field, double value, const char* name) {
    MzmSettings s;
    s.*field = value;
    check_message(refusal([&] { validate_mzm(s); }), {name});
  };
  check(&MzmSettings::v_pi_v, 0, "v_pi_v");
  check(&MzmSettings::insertion_loss_db, -1, "loss_db");
  check(&MzmSettings::leak, std::nan(""), "leak");
  check(&MzmSettings::leak, 1, "leak");
  check(&MzmSettings::drive_capacitance_f, -1e-15, "drive_capacitance_f");
  check(&MzmSettings::bandwidth_hz, 0, "bandwidth_hz");
  MzmSettings odd;
  odd.v_pi_v = 20;
  odd.bandwidth_hz = 1e12;
  CHECK(mzm_warnings(odd).size() == 2);
}
