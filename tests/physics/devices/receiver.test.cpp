// Magnitudes of a receiver's noise, and the homodyne current from the optics it stands for.

#include "physics/devices/receiver.hpp"

#include "physics/core/check.hpp"
#include "physics/devices/coupler.hpp"

#include "tests/support/catch.hpp"

using namespace optinc;

// fails when the bandwidth enters linearly
TEST_CASE("amplifier noise: 16.9 pA/rtHz behind 32 GHz, a noise bandwidth of 33.5 GHz, is 3.09 uA") {
  CHECK(noise_bandwidth_hz(FrontEnd{}) == Approx(33.48e9).epsilon(1e-3));
  CHECK(input_noise_a(FrontEnd{}) == Approx(16.9e-12 * std::sqrt(33.48e9)).epsilon(0.002));
}

// fails when the factor 2 of 2 q I B is missing, or when the local oscillator is not counted
TEST_CASE("shot noise: 100 uA in 40 GHz is 1.13 uA, whoever carries the current") {
  ReceiverSettings s;
  s.front_end.bandwidth_hz *= 40e9 / noise_bandwidth_hz(s.front_end);
  s.photodiode.responsivity_a_per_w = 0.8;
  s.photodiode.dark_current_a = 0.0;
  s.lo_power_w = 100e-6 / 0.8;
  CHECK(shot_noise_a(s, 0.0) == Approx(1.132e-6).epsilon(0.001));
  s.lo_power_w = 25e-6 / 0.8;
  CHECK(shot_noise_a(s, 65e-6 / 0.8) == Approx(1.132e-6 * std::sqrt(0.9)).epsilon(0.001));
  s.photodiode.dark_current_a = 5e-6;  // in each of the two diodes: 25 + 65 + 2 x 5 uA
  CHECK(shot_noise_a(s, 65e-6 / 0.8) == Approx(1.132e-6).epsilon(0.001));
}

// fails when RIN dB/Hz is taken as an amplitude (20 log10)
TEST_CASE("intensity noise: -150 and -140 dB/Hz in 40 GHz are 6.3e-3 and 2.0e-2") {
  ReceiverSettings s;
  s.front_end.bandwidth_hz *= 40e9 / noise_bandwidth_hz(s.front_end);
  LaserSettings seed;
  CHECK(relative_intensity_noise(s, seed) == Approx(6.3246e-3).epsilon(1e-4));
  seed.rin_db_per_hz = -140;
  CHECK(relative_intensity_noise(s, seed) == Approx(2.0e-2).epsilon(1e-12));
  s.photodiode.responsivity_a_per_w = 0.9;
  s.lo_power_w = 2e-3;
  s.cmrr_db = 40;  // a hundredth of 0.9 x 2 mA x 2 %
  CHECK(lo_intensity_noise_a(s, seed) == Approx(0.36e-6).epsilon(1e-12));
}

// fails when the factor 2 of the balanced pair is missing. The hybrid is a 50:50 coupler whose i on the
// crossing path is met by a local oscillator of phase phi_LO - pi/2; each diode gives R |field|^2.
TEST_CASE("homodyne: 2 R sqrt(P_LO) Re(E e^{-i phi_LO}) is the difference of two photocurrents") {
  const ReceiverSettings s;
  CHECK(homodyne_current_per_field(s) == Approx(2 * 0.9 * 0.0316227766016838).epsilon(1e-14));
  for (const double lo_phase : {0.0, 0.8, -2.0})
    for (const Complex field : {Complex(3e-3, 0), Complex(-2e-3, 4e-3), Complex(0, -5e-3)}) {
      CAPTURE(lo_phase, field);
      const Complex lo = std::polar(std::sqrt(s.lo_power_w), lo_phase - 3.14159265358979323846 / 2);
      const Eigen::Vector2cd at_diodes = coupler(3.14159265358979323846 / 4) * Eigen::Vector2cd(field, lo);
      const double difference =
          s.photodiode.responsivity_a_per_w * (std::norm(at_diodes[0]) - std::norm(at_diodes[1]));
      const double in_phase = (field * std::polar(1.0, -lo_phase)).real();
      CHECK(homodyne_current_per_field(s) * in_phase == Approx(difference).epsilon(1e-12).margin(1e-18));
    }
}

// each fails when its validate() is taken out
TEST_CASE("receivers that do not exist are refused by name") {
  CHECK_NOTHROW(validate_receiver({}));
  const auto refused = [](auto change, const char* name) {
    ReceiverSettings s;
    change(s);
    CHECK_THROWS_WITH(validate_receiver(s), ContainsSubstring(name));
  };
  for (const double value : {0.0, -1.0, std::nan("")}) {
    refused([&](ReceiverSettings& s) { s.lo_power_w = value; }, "lo_power_w");
    refused([&](ReceiverSettings& s) { s.photodiode.responsivity_a_per_w = value; }, "responsivity_a_per_w");
    refused([&](ReceiverSettings& s) { s.front_end.bandwidth_hz = value; }, "bandwidth_hz");
  }
  for (const double value : {-1.0, std::nan(""), HUGE_VAL}) {
    refused([&](ReceiverSettings& s) { s.photodiode.dark_current_a = value; }, "dark_current_a");
    refused([&](ReceiverSettings& s) { s.front_end.noise = InputReferredNoise{value}; }, "a_per_rthz");
    refused([&](ReceiverSettings& s) { s.cmrr_db = value; }, "cmrr_db");
    refused([&](ReceiverSettings& s) { s.offset_a = value; }, "offset_a");
    refused([&](ReceiverSettings& s) { s.overload_a = value; }, "overload_a");
  }
}
