// Photodiode, front end, direct and homodyne detection, converter.

#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "physics/devices/adc.hpp"
#include "physics/devices/direct_detection.hpp"
#include "physics/devices/homodyne.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;
using namespace optinc::testing;

namespace {

constexpr double q_c = 1.602176634e-19;
constexpr double none = -std::numeric_limits<double>::infinity();

/// Receiver whose only noise is what a test switches on; 40 GHz.
const double per_hz = noise_bandwidth_hz(FrontEnd{}) / 32e9;  // noise bandwidth over 3 dB bandwidth

DirectReceiver quiet() {
  return {{0.8, 0.0}, {InputReferredNoise{0.0}, 40e9 / per_hz, 1e3, 0.0}, {none, 0.0, 100e9}};
}

}  // namespace

// Fails when the 2 of 2 q I B is missing, or dark current is not counted
TEST_CASE("photodiode: shot noise of 100 uA in 40 GHz is 1.13 uA") {
  const PhotodiodeSettings d{0.8, 20e-6};
  CHECK(photocurrent_a(d, 100e-6) == Approx(100e-6).epsilon(1e-14));
  CHECK(std::sqrt(shot_variance_a2(d, 100e-6, 40e9)) == Approx(1.132e-6).epsilon(1e-3));
  CHECK(responsivity_a_per_w(1.0, 1550e-9) == Approx(1.2501).epsilon(1e-4));
  check_message(refusal([] { validate_photodiode({0, 0}); }), {"responsivity_a_per_w"});
  check_message(refusal([] { validate_photodiode({1, -1}); }), {"dark_current_a"});
  check_message(refusal([] { responsivity_a_per_w(1.1, 1e-6); }), {"quantum_efficiency"});
}

// Fails when a published number is changed. 63 dBohm is 1413 ohm
TEST_CASE("front end: published ones") {
  const FrontEnd patel = patel_2022_receiver();
  CHECK(input_noise_a(patel) == Approx(16.9e-12 * std::sqrt(33.48e9)).epsilon(2e-3));
  CHECK(patel.transimpedance_ohm == Approx(1412.54).epsilon(1e-5));
  CHECK(patel.supply_power_w == 47e-3);
  for (const FrontEnd& s : {patel, FrontEnd{}}) {
    CHECK_NOTHROW(validate_front_end(s));
    CHECK(front_end_warnings(s).empty());
  }
  const FrontEnd by_default;  // patel_2022's figures stand in the struct, the power aside
  CHECK(by_default.transimpedance_ohm == Approx(patel.transimpedance_ohm).epsilon(1e-4));
  CHECK(input_noise_a(by_default) == input_noise_a(patel));
}

TEST_CASE("front end: impossible ones are refused by name, odd ones are reported") {
  const auto refused = [](const FrontEnd& s, const char* name) {
    check_message(refusal([&] { validate_front_end(s); }), {name});
  };
  refused({InputReferredNoise{-1.0}, 1e9, 50, 0}, "a_per_rthz");
  refused({LoadResistor{0.0}, 1e9, 50, 0}, "resistance_ohm");
  refused({LoadResistor{50, 0}, 1e9, 50, 0}, "temperature_k");
  refused({InputReferredNoise{}, 0, 50, 0}, "bandwidth_hz");
  refused({InputReferredNoise{}, 1e9, 0, 0}, "transimpedance_ohm");
  refused({InputReferredNoise{}, 1e9, 50, -1}, "supply_power_w");
  CHECK(front_end_warnings({InputReferredNoise{1e-9}, 300e9, 50, 0}).size() == 2);
}

// Fails when a term lacks its factor (typed here), or RIN does not grow with the square of the level
TEST_CASE("direct detection: each noise alone is its formula, all add up") {
  const double p = 125e-6;
  DirectReceiver s = quiet();
  CHECK(direct_noise_a2(s, p).total() == Approx(2 * q_c * 100e-6 * 40e9).epsilon(1e-12));
  s.light.rin_db_per_hz = -140;
  CHECK(direct_noise_a2(s, p).intensity == Approx(1e-14 * 40e9 * 1e-8).epsilon(1e-12));
  CHECK(direct_noise_a2(s, 2 * p).intensity == Approx(4e-14 * 40e9 * 1e-8).epsilon(1e-12));
  s.light.ase_density_w_per_hz = 1e-17;
  const DirectNoise n = direct_noise_a2(s, p);
  CHECK(n.shot == Approx(2 * q_c * 0.8 * (125e-6 + 1e-6) * 40e9).epsilon(1e-12));
  CHECK(n.signal_spontaneous == Approx(4 * 0.64 * 125e-6 * 1e-17 * 40e9).epsilon(1e-12));
  CHECK(n.spontaneous_spontaneous == Approx(0.64 * 1e-34 * (200e9 - 40e9) * 40e9).epsilon(1e-12));
  s.front_end.noise = InputReferredNoise{10e-12};
  CHECK(direct_noise_a2(s, p).front_end == Approx(1e-22 * 40e9).epsilon(1e-12));
  CHECK(direct_noise_a2(s, p).total() ==
        Approx(n.shot + n.intensity + n.signal_spontaneous + n.spontaneous_spontaneous + 4e-12).epsilon(1e-12));
  // all beats pass a front end wider than the optical band: R^2 (2 P N + N^2), N = S B_o
  s.front_end.bandwidth_hz = 150e9;
  const DirectNoise wide = direct_noise_a2(s, p);
  CHECK(wide.signal_spontaneous + wide.spontaneous_spontaneous ==
        Approx(0.64 * (2 * 125e-6 * 1e-6 + 1e-12)).epsilon(1e-12));
}

// Fails when the noise is drawn at the wrong level: the top level of PAM4 is the noisiest
TEST_CASE("MC: direct detection: mean and variance at each PAM4 level, 200000 readings") {
  const std::uint64_t seed = 1901;
  CAPTURE(seed);
  constexpr int n = 200000;
  DirectReceiver s = quiet();
  s.diode.dark_current_a = 50e-9;
  s.light.rin_db_per_hz = -135;
  s.front_end.noise = InputReferredNoise{12e-12};
  Stream stream = test_stream(seed);
  for (const double p : {20e-6, 120e-6, 220e-6, 320e-6}) {
    CAPTURE(p);
    const double current = 0.8 * p, mean = current + 50e-9;
    const double variance = (2 * q_c * mean + 144e-24 + std::pow(10, -13.5) * current * current) * 40e9;
    double m1 = 0, m2 = 0;
    for (int k = 0; k < n; ++k) {
      const double d = direct_current_a(s, p, stream) - mean;
      m1 += d / n;
      m2 += d * d / n;
    }
    CHECK(std::abs(m1) < 5 * std::sqrt(variance / n));
    CHECK(std::abs(m2 / variance - 1) < 5 * std::sqrt(2.0 / n));
  }
}

TEST_CASE("direct detection: a receiver without light and noise has no signal, not NaN") {
  CHECK(direct_noise_a2(quiet(), 0).total() == 0);
  CHECK(direct_snr(quiet(), 0) == 0);
  CHECK(direct_snr(quiet(), 1e-6) > 0);
}

TEST_CASE("direct detection: impossible receivers are refused by name") {
  CHECK_NOTHROW(validate_direct_receiver(quiet()));
  DirectReceiver s = quiet();
  s.light.optical_bandwidth_hz = 0;
  check_message(refusal([&] { validate_direct_receiver(s); }), {"optical_bandwidth_hz"});
  s = quiet();
  s.light.rin_db_per_hz = 3;
  check_message(refusal([&] { validate_direct_receiver(s); }), {"rin_db_per_hz"});
  s = quiet();
  s.light.ase_density_w_per_hz = -1;
  check_message(refusal([&] { validate_direct_receiver(s); }), {"ase_density_w_per_hz"});
  s = quiet();
  s.diode.responsivity_a_per_w = 0;
  check_message(refusal([&] { validate_direct_receiver(s); }), {"responsivity_a_per_w"});
}

// Fails when the phase error turns the field by its double, or the common mode is rejected as a power (10
// log10)
TEST_CASE("homodyne: signed current, phase error, what a finite rejection leaves") {
  ReceiverSettings s;
  s.cmrr_db = 40;
  const double full = 2 * 0.9 * 0.0316227766016838 * 2e-3;
  CHECK(homodyne_current_a(s, 2e-3) == Approx(full).epsilon(1e-13));
  CHECK(homodyne_current_a(s, -2e-3) == Approx(-full).epsilon(1e-13));
  CHECK(homodyne_current_a(s, Complex(0, 2e-3)) == 0.0);
  CHECK(homodyne_current_a(s, std::polar(2e-3, 0.7), 0.7) == Approx(full).epsilon(1e-13));
  CHECK(homodyne_current_a(s, 2e-3, 0.3) == Approx(full * std::cos(0.3)).epsilon(1e-13));
  const double leak = 0.01 * 0.9 * (1e-3 + 4e-6);
  CHECK(homodyne_current_a(s, 2e-3, 0, 1) == Approx(full + leak).epsilon(1e-13));
  CHECK(homodyne_current_a(s, 2e-3, 0, -1) == Approx(full - leak).epsilon(1e-13));
}

// Fails when the noises are added as amplitudes
TEST_CASE("homodyne: variances of shot, amplifier and oscillator add up") {
  ReceiverSettings s;
  LaserSettings seed_laser;
  seed_laser.rin_db_per_hz = -130;
  s.cmrr_db = 20;
  const double b = noise_bandwidth_hz(FrontEnd{}), shot = 2 * q_c * (0.9 * (1e-3 + 4e-6) + 60e-9) * b,
               tia = 285.61e-24 * b;
  const double rin = 0.81e-6 * 1e-13 * b * 1e-2;
  const HomodyneNoise noise = homodyne_noise_a2(s, seed_laser, 4e-6);
  CHECK(noise.shot == Approx(shot).epsilon(1e-12));
  CHECK(noise.front_end == Approx(tia).epsilon(1e-12));
  CHECK(noise.intensity == Approx(rin).epsilon(1e-12));
  CHECK(noise.total() == Approx(shot + tia + rin).epsilon(1e-12));
}

// Fails when readings sit at the edges of their steps, or nothing clips
TEST_CASE("converter: 3 bits over -1..1, readings in the middle of eight steps, clipped outside") {
  const AdcSettings s{3, 1.0, 3.0};
  CHECK(adc_step(s) == 0.25);
  CHECK(adc_quantise(s, 0.01) == 0.125);
  CHECK(adc_quantise(s, -0.01) == -0.125);
  CHECK(adc_quantise(s, 0.9) == 0.875);
  CHECK(adc_quantise(s, 1.0) == 0.875);
  CHECK(adc_quantise(s, 7.0) == 0.875);
  CHECK(adc_quantise(s, -7.0) == -0.875);
  CHECK(adc_noise(s) == 0.0);
  CHECK(adc_quantise({3, 2.0, 3.0}, 0.3) == 0.25);
}

// Fails when SQNR counts from a full-scale square wave. The sine's frequency shares no factor with the record
TEST_CASE("converter: a full-scale sine has 6.02 b + 1.76 dB over its steps") {
  for (const int bits : {8, 10, 12}) {  // the law holds for many steps: 0.27 dB short at 6 bits
    CAPTURE(bits);
    constexpr int n = 65536;
    const AdcSettings s{bits, 1.0, 1.0 * bits};
    double signal = 0, error = 0;
    for (int k = 0; k < n; ++k) {
      const double x = std::sin(6.283185307179586 * 4099 * k / n);
      signal += x * x;
      error += std::pow(adc_quantise(s, x) - x, 2);
    }
    CHECK(10 * std::log10(signal / error) == Approx(6.0206 * bits + 1.7609).margin(0.25));
  }
}

// Fails when the added noise ignores that of the steps
TEST_CASE("MC: converter: 7 bits with 5 effective ones are as noisy as 5 bits, 200000 readings") {
  const std::uint64_t seed = 1903;
  CAPTURE(seed);
  constexpr int n = 200000;
  const AdcSettings s{7, 1.0, 5.0};
  Stream stream = test_stream(seed);
  double error = 0;
  for (int k = 0; k < n; ++k) {
    const double x = 1.6 * stream.uniform() - 0.8;  // away from the clip
    error += std::pow(adc_quantise(s, x + adc_noise(s) * stream.normal()) - x, 2) / n;
  }
  const double five_bits = 0.0625 * 0.0625 / 12;  // step 2/32
  CHECK(std::abs(error / five_bits - 1) < 5 * std::sqrt(2.0 / n));
}

TEST_CASE("converter: impossible ones are refused by name") {
  CHECK_NOTHROW(validate_adc({}));
  check_message(refusal([] { validate_adc({0, 1, 0}); }), {"bits = 0"});
  check_message(refusal([] { validate_adc({25, 1, 5}); }), {"bits = 25"});
  check_message(refusal([] { validate_adc({7, 0, 5}); }), {"full_scale"});
  check_message(refusal([] { validate_adc({7, 1, 7.5}); }), {"effective_bits = 7.5"});
  check_message(refusal([] { validate_adc({7, 1, 5, -1}); }), {"step_j"});
  check_message(refusal([] { validate_adc({7, 1, 5, 0, -1}); }), {"delay_s"});
}

// E_step 2^ENOB f_s: 100 fJ, 5 effective bits, 50 GS/s are 160 mW. Fails when it takes the nominal bits
TEST_CASE("converter: power by the energy of a conversion step") {
  AdcSettings adc;
  adc.bits = 7;
  adc.effective_bits = 5.0;
  CHECK(adc_power_w(adc, 50e9) == Approx(0.16).epsilon(1e-12));
  check_message(refusal([&] { adc_power_w(adc, -1); }), {"samples_per_s"});
}
