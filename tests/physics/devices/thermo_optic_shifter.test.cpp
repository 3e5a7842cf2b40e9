// Heaters as phase shifters: V^2 law, self-heating, published devices (row 17 of `optinc validate`).

#include "physics/devices/thermo_optic_shifter.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;
using namespace optinc::testing;

namespace {

using constants::pi;

ThermoOpticShifter self_heating(double per_k) {
  ThermoOpticShifter d = harris_2014_heater();
  d.resistance_slope_per_k = per_k;
  return d;
}

}  // namespace

// Row 17. Fails when DT_pi loses its factor 2, when tau = 1/f, or when a number of the preset changes
TEST_CASE("row 17: what follows from the heater of Harris et al. 2014") {
  const ThermoOpticFigures f = thermo_optic_figures(harris_2014_heater());
  CHECK(f.temperature_pi_k == Approx(69.9).epsilon(0.005));
  CHECK(f.thermal_resistance_k_per_w == Approx(2822).epsilon(0.005));
  CHECK(f.time_constant_s == Approx(1.224e-6).epsilon(0.005));
  CHECK(f.thermal_capacity_j_per_k == Approx(4.34e-10).epsilon(0.005));
  CHECK(f.v_pi_v == Approx(4.98).epsilon(0.005));
  CHECK(f.power_time_j == Approx(24.77e-3 / (2 * pi * 130e3)).epsilon(1e-12));
  // the thermal model of the same device starts from the same numbers
}

// Fails when the phase is linear in the voltage, or wrapped
TEST_CASE("thermo-optic: phi = pi (V/V_pi)^2, exactly, whatever the sign of V") {
  const ThermoOpticShifter d = harris_2014_heater();
  const double v_pi = std::sqrt(24.77);
  for (const double v : {0.0, 0.3, -1.7, 4.9, 8.0}) {
    CAPTURE(v);
    CHECK(thermo_optic_phase_rad(d, v) == Approx(pi * v * v / (v_pi * v_pi)).epsilon(1e-14).margin(1e-300));
  }
  CHECK(thermo_optic_voltage_v(d, 4 * pi) == Approx(2 * v_pi).epsilon(1e-14));
}

// Fails when the heater's resistance is taken cold, or falls with the temperature
TEST_CASE("thermo-optic: self-heating is the fixed point of R(T) and P(R)") {
  for (const double alpha : {1e-4, 1.5e-3, 4e-3}) {
    const ThermoOpticShifter d = self_heating(alpha);
    const double rise_pi_k = 1550e-9 / (2 * 61.6e-6 * 1.8e-4);
    for (const double v : {0.5, 3.0, 6.0}) {
      CAPTURE(alpha, v);
      double rise_k = 0.0;  // damped iteration of DT = DT_pi V^2 / (P_pi R_0 (1 + alpha DT))
      for (int k = 0; k < 400; ++k)
        rise_k += 0.5 * (rise_pi_k * v * v / (24.77e-3 * 1000 * (1 + alpha * rise_k)) - rise_k);
      const double phase = pi * rise_k / rise_pi_k;
      CHECK(thermo_optic_phase_rad(d, v) == Approx(phase).epsilon(1e-12));
      CHECK(thermo_optic_voltage_v(d, phase) == Approx(v).epsilon(1e-12));
    }
  }
  CHECK(thermo_optic_figures(self_heating(1e-3)).v_pi_v ==
        Approx(std::sqrt(24.77 * (1 + 69.895e-3))).epsilon(1e-6));
}

// Fails when a published number is mistyped: each is typed here again, from the abstracts
TEST_CASE("heaters published: power, time and voltage") {
  const ThermoOpticFigures lu = thermo_optic_figures(lu_2015_suspended_heater());
  CHECK(lu_2015_suspended_heater().p_pi_w == 50e-6);
  CHECK(lu.time_constant_s * 2.1972 == Approx(780e-6).epsilon(1e-4));
  CHECK(lu.power_time_j == Approx(17.75e-9).epsilon(1e-3));  // as fast for its power as any other
  const ThermoOpticFigures chen = thermo_optic_figures(chen_2024_slow_light_heater());
  CHECK(chen.v_pi_v == Approx(1.1).epsilon(1e-12));
  CHECK(chen.power_time_j == Approx(5.1e-9).epsilon(1e-12));
  CHECK(chen_2024_slow_light_heater().p_pi_w == 3.63e-3);
  const ThermoOpticFigures dave = thermo_optic_figures(dave_2024_metal_clad_heater());
  CHECK(dave.power_time_j == Approx(19.1e-9).epsilon(1e-12));
  CHECK(dave.time_constant_s == Approx(1.4e-6).epsilon(1e-12));
  CHECK(thermo_optic_figures(typical_metal_heater()).time_constant_s ==
        Approx(2.5 * thermo_optic_figures(typical_doped_silicon_heater()).time_constant_s).epsilon(1e-12));
  for (const auto& heater :
       {harris_2014_heater(), lu_2015_suspended_heater(), chen_2024_slow_light_heater(),
        dave_2024_metal_clad_heater(), typical_metal_heater(), typical_doped_silicon_heater()})
    CHECK(thermo_optic_warnings(heater).empty());
}

// Fails when the threshold is in W s instead of nJ
TEST_CASE("heaters: a power-time product below 4 mW us is reported, impossible values are refused") {
  ThermoOpticShifter d = harris_2014_heater();
  d.p_pi_w = 3.9e-9 * 2 * pi * 130e3;
  REQUIRE(thermo_optic_warnings(d).size() == 1);
  CHECK_THAT(thermo_optic_warnings(d)[0].text, ContainsSubstring("3.9 mW us"));
  d.p_pi_w = 4.1e-9 * 2 * pi * 130e3;
  CHECK(thermo_optic_warnings(d).empty());
  d.p_pi_w = 50e-3;
  REQUIRE(thermo_optic_warnings(d).size() == 1);
  CHECK(thermo_optic_warnings(d)[0].field == "p_pi_w");
  check_message(refusal([&] { thermo_optic_voltage_v(d, -0.1); }), {"phase_rad = -0.1", "Wrap"});
  check_message(refusal([&] { thermo_optic_phase_rad(d, std::nan("")); }), {"voltage_v"});
  d.bandwidth_hz = 0;
  check_message(refusal([&] { thermo_optic_figures(d); }), {"bandwidth_hz = 0", "> 0"});
  d = {};
  d.resistance_slope_per_k = -1e-3;
  check_message(refusal([&] { thermo_optic_phase_rad(d, 1.0); }), {"resistance_slope_per_k"});
}
