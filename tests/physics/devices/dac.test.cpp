// What a DAC makes of a phase.

#include "physics/devices/dac.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;
using namespace optinc::testing;

namespace {

using constants::pi;

/// Distance of two phases on the circle.
double turn_between(double a, double b) { return std::abs(std::remainder(a - b, 2 * pi)); }

Dac dac_of(DacMode mode, int bits) {
  Dac dac;
  dac.mode = mode;
  dac.bits = bits;
  return dac;
}

}  // namespace

// fails when the grid has 2^bits - 1 steps, or when rounding is replaced by truncation
TEST_CASE("uniform DAC: 2^bits levels of 2 pi / 2^bits, the nearest one, on the circle") {
  CHECK(quantise_phase(0.3, 2) == 0.0);
  CHECK(quantise_phase(0.8, 2) == Approx(pi / 2));
  CHECK(quantise_phase(2 * pi - 0.1, 2) == 0.0);  // the top level is level 0
  CHECK(quantise_phase(-0.8, 2) == Approx(3 * pi / 2));
  CHECK(quantise_phase(-0.25, 0) == Approx(2 * pi - 0.25));
  Stream s = test_stream(1);
  for (const int bits : {1, 4, 8, 12}) {
    const double step = 2 * pi / (1 << bits);
    for (int draw = 0; draw < 300; ++draw) {
      const double phase = 20 * s.normal(), q = quantise_phase(phase, bits);
      CAPTURE(bits, phase);
      CHECK(turn_between(q, phase) <= step / 2 * (1 + 1e-12));
      CHECK(std::abs(q / step - std::round(q / step)) < 1e-9);
      CHECK(q < 2 * pi);
    }
  }
}

// fails when the levels are spaced in phase instead of voltage
TEST_CASE("voltage DAC: levels are 2 pi (m / 2^bits)^2, the nearest voltage is taken") {
  // two bits: phases 0, pi/8, pi/2, 9 pi/8, 2 pi; thresholds half-way in voltage at 2 pi (m + 1/2)^2 / 16
  CHECK(quantise_voltage(2 * pi * 0.24 / 16, 2) == 0.0);
  CHECK(quantise_voltage(2 * pi * 0.26 / 16, 2) == Approx(pi / 8));
  CHECK(quantise_voltage(2 * pi * 2.24 / 16, 2) == Approx(pi / 8));
  CHECK(quantise_voltage(2 * pi * 2.26 / 16, 2) == Approx(pi / 2));
  CHECK(quantise_voltage(2 * pi * 12.24 / 16, 2) == Approx(9 * pi / 8));
  CHECK(quantise_voltage(2 * pi * 12.26 / 16, 2) == Approx(2 * pi));
  CHECK(quantise_voltage(-0.25, 0) == Approx(2 * pi - 0.25));
  // the widest gap, at 2 pi, is twice the uniform step: 4 pi / 2^b less half a step's curvature
  const int bits = 10;
  const double top = quantise_voltage(2 * pi * (1 - 1e-9), bits);
  const double next = quantise_voltage(2 * pi * std::pow(1 - 1.0 / 1024, 2), bits);
  CHECK(top - next == Approx(4 * pi / 1024 - 2 * pi / (1024.0 * 1024.0)).epsilon(1e-9));
}

// Fails when the grid has 2^bits - 1 steps, or the last code is full scale
TEST_CASE("Dac: code m lies at m / 2^bits of the phase, or of the voltage") {
  const Dac phase = dac_of(DacMode::phase, 3), voltage = dac_of(DacMode::voltage, 3);
  for (int m = 0; m < 8; ++m) {
    CAPTURE(m);
    const double share = m / 8.0;
    const DacOutput p = dac_output(phase, 2 * pi * (share + 0.01)),
                    v = dac_output(voltage, 2 * pi * share * share);
    CHECK(p.phase_rad == Approx(2 * pi * share).margin(1e-15));
    CHECK(static_cast<int>(p.code) == m);
    CHECK(v.phase_rad == Approx(2 * pi * share * share).margin(1e-15));
    CHECK(static_cast<int>(v.code) == m);
    CHECK_FALSE((p.clipped || v.clipped));
  }
  CHECK(dac_output(phase, -pi / 4).code == 7);
  // on the circle 2 pi is 0: nearer than the last code in the upper half of the gap
  CHECK(dac_output(phase, 2 * pi * 0.95).code == 0);
  CHECK(dac_output(phase, 2 * pi * 0.93).code == 7);
  CHECK(dac_output(voltage, 2 * pi * 0.89).code == 0);  // last code at 49/64, half-way 0.883
  CHECK(dac_output(voltage, 2 * pi * 0.88).code == 7);
}

// Fails when phi_off is ignored, or added to every phase
TEST_CASE("Dac: a phase below the least is reached one turn higher") {
  Dac dac = dac_of(DacMode::phase, 12);
  dac.full_scale_rad = 3 * pi;
  dac.least_phase_rad = 0.5;
  const double step = 3 * pi / 4096;
  CHECK(std::abs(dac_output(dac, 0.3).phase_rad - (0.3 + 2 * pi)) <= step / 2 * (1 + 1e-12));
  CHECK(std::abs(dac_output(dac, 0.7).phase_rad - 0.7) <= step / 2 * (1 + 1e-12));
  CHECK(std::abs(dac_output(dac, 7.0).phase_rad - 7.0 + 2 * pi) <= step / 2 * (1 + 1e-12));
  dac.full_scale_rad = 2 * pi;
  CHECK(dac_output(dac, 0.3).clipped);  // 0.3 + 2 pi is beyond
  CHECK(dac_output(dac, 0.3).code == 4095);
}

// Fails when clipped phases wrap round, or are not told
TEST_CASE("Dac: without wrapping a phase out of range is clipped and said to be") {
  Dac dac = dac_of(DacMode::voltage, 8);
  dac.wraps = false;
  CHECK(dac_output(dac, 7.0).clipped);
  CHECK(dac_output(dac, 7.0).phase_rad == Approx(2 * pi * std::pow(255.0 / 256, 2)).epsilon(1e-14));
  CHECK(dac_output(dac, -0.1).clipped);
  CHECK(dac_output(dac, -0.1).code == 0);
  CHECK_FALSE(dac_output(dac, 6.28).clipped);
  CHECK(dac_output(dac, 6.28).code == 255);
}

// Fails when the bow is left out of the output or enters the choice of the code
TEST_CASE("Dac: integral nonlinearity is a bow of so many steps at mid scale, zero at the ends") {
  Dac dac = dac_of(DacMode::phase, 8);
  const double step = 2 * pi / 256;
  dac.inl_lsb = 3.0;
  double most = 0;
  for (int m = 0; m < 256; ++m) {
    const DacOutput out = dac_output(dac, m * step);
    CHECK(static_cast<int>(out.code) == m);
    const double x = m / 255.0, off = (out.phase_rad - m * step) / step;
    CHECK(off == Approx(3.0 * (1 - std::pow(2 * x - 1, 2))).margin(1e-10));
    most = std::max(most, off);
  }
  CHECK(most == Approx(3.0).epsilon(1e-4));
}

// Fails when the heater's codes divide [0, sqrt(2) V_pi] of a cold heater
TEST_CASE("Dac: with a heater the codes divide its voltage, self-heating included") {
  ThermoOpticShifter heater = harris_2014_heater();
  const Dac dac = dac_of(DacMode::voltage, 10);
  for (const double phase : {0.2, 1.0, 4.0})  // without self-heating the same as without a heater
    CHECK(dac_output(dac, heater, phase).phase_rad == Approx(dac_output(dac, phase).phase_rad).epsilon(1e-12));
  heater.resistance_slope_per_k = 2e-3;
  const double v_max = thermo_optic_voltage_v(heater, 2 * pi);
  for (const double phase : {0.2, 1.0, 4.0}) {
    CAPTURE(phase);
    const DacOutput out = dac_output(dac, heater, phase);
    CHECK(out.phase_rad == Approx(thermo_optic_phase_rad(heater, out.code * v_max / 1024)).epsilon(1e-12));
    const double half_step =
        (thermo_optic_phase_rad(heater, v_max) - thermo_optic_phase_rad(heater, v_max * 2047 / 2048));
    CHECK(std::abs(out.phase_rad - phase) < 1.1 * half_step);
  }
}

// R = 200000: the rms of a uniform error has relative spread sqrt(0.2/R), 5 sigma = 0.5 %; tolerance 1 %. What
// the idealised DACs cost a mesh is row 12 of `optinc validate`
TEST_CASE("MC: Dac errors have the rms step/sqrt(12), sqrt(2) of it in voltage mode") {
  const std::uint64_t seed = 4;
  CAPTURE(seed);
  constexpr int draws = 200000;
  Stream s = test_stream(seed);
  double uniform = 0, voltage = 0;
  for (int draw = 0; draw < draws; ++draw) {
    const double phase = 2 * pi * s.uniform();
    uniform += std::pow(turn_between(dac_output(dac_of(DacMode::phase, 10), phase).phase_rad, phase), 2);
    voltage += std::pow(turn_between(dac_output(dac_of(DacMode::voltage, 10), phase).phase_rad, phase), 2);
  }
  const double rms = 2 * pi / 1024 / std::sqrt(12.0);
  CHECK(std::sqrt(uniform / draws) == Approx(rms).epsilon(0.01));
  CHECK(std::sqrt(voltage / draws) == Approx(std::sqrt(2.0) * rms).epsilon(0.01));
}

// Fails when 0 bits mean "no DAC" here too
TEST_CASE("Dac: 0 bits are refused, and other impossible values") {
  for (const int bits : {0, 25, -1})
    check_message(refusal([&] { dac_output(dac_of(DacMode::phase, bits), 1.0); }),
                  {"bits = " + std::to_string(bits), "1..24"});
  Dac dac;
  check_message(refusal([&] { dac_output(dac, std::nan("")); }), {"phase_rad"});
  dac.full_scale_rad = 0;
  check_message(refusal([&] { dac_output(dac, 1.0); }), {"full_scale_rad = 0"});
  dac = {};
  dac.least_phase_rad = 7;
  check_message(refusal([&] { dac_output(dac, 1.0); }), {"least_phase_rad = 7"});
  dac = dac_of(DacMode::phase, 3);
  dac.inl_lsb = 1.5;
  check_message(refusal([&] { dac_output(dac, 1.0); }), {"inl_lsb = 1.5"});
}
