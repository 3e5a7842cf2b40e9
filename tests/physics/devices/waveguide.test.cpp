// Waveguides, fibre, crossings and fibre couplers.

#include "physics/devices/waveguide.hpp"

#include "physics/devices/crossing.hpp"
#include "physics/devices/fibre_coupler.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;
using namespace optinc::testing;

namespace {

using constants::pi;

}  // namespace

// Fails when the group index loses its wavelength, or x is taken in m
TEST_CASE("waveguide: n_g = n_eff - lambda dn/dlambda = 4.1978 and 14.0 ps/mm") {
  const IndexFit fit;
  CHECK(effective_index(fit, 1550e-9) == 2.44365);
  CHECK(group_index(fit, 1550e-9) == Approx(2.44365 + 1.55 * 1.13171).epsilon(1e-14));
  CHECK(group_index(fit, 1550e-9) == Approx(4.1978).margin(5e-5));
  CHECK(waveguide_delay_s(soi_strip_500x220(1e-3), 1550e-9) == Approx(14.0e-12).epsilon(1e-3));
  for (const double wavelength : {1530e-9, 1550e-9, 1565e-9}) {
    CAPTURE(wavelength);
    const double h = 1e-10;
    const double slope =
        (effective_index(fit, wavelength + h) - effective_index(fit, wavelength - h)) / (2 * h);
    CHECK(group_index(fit, wavelength) ==
          Approx(effective_index(fit, wavelength) - wavelength * slope).epsilon(1e-8));
  }
}

// Fails when the phase moves the wrong way with wavelength or temperature
TEST_CASE("waveguide: phase, and its slopes by wavelength and temperature") {
  const Waveguide g = soi_strip_500x220(200e-6);
  CHECK(waveguide_phase_rad(g, 1550e-9) == Approx(2 * pi * 2.44365 * 200e-6 / 1550e-9).epsilon(1e-14));
  const double h = 1e-12;
  CHECK(waveguide_phase_slope_rad_per_m(g, 1550e-9) ==
        Approx((waveguide_phase_rad(g, 1550e-9 + h) - waveguide_phase_rad(g, 1550e-9 - h)) / (2 * h))
            .epsilon(1e-6));
  CHECK(waveguide_phase_rad(g, 1550e-9, 3.0) - waveguide_phase_rad(g, 1550e-9) ==
        Approx(3 * waveguide_phase_slope_rad_per_k(g, 1550e-9)).epsilon(1e-9));
  // dn/dT = 1.8e-4 / K, n_g = 4.2: 0.146 rad/K in 200 um; 10 um of mismatch and 10 pm of drift are 1.1e-3 rad
  CHECK(waveguide_phase_slope_rad_per_k(g, 1550e-9) == Approx(0.146).epsilon(2e-3));
  CHECK(-waveguide_phase_slope_rad_per_m(soi_strip_500x220(10e-6), 1550e-9) * 10e-12 ==
        Approx(1.1e-3).epsilon(5e-3));
}

// Fails when loss_db_per_cm is taken per mm, or bends are left out
TEST_CASE("waveguide: loss of length and bends adds up in dB and acts on the field") {
  Waveguide g = soi_strip_500x220(0.02);
  g.bends = 4;
  CHECK(waveguide_loss_db(g) == Approx(3.03).epsilon(1e-14));
  CHECK(std::norm(waveguide_field(g, 1550e-9)) == Approx(std::pow(10.0, -0.303)).epsilon(1e-12));
  CHECK(std::abs(std::remainder(std::arg(waveguide_field(g, 1550e-9)) - waveguide_phase_rad(g, 1550e-9),
                                2 * pi)) < 1e-9);
}

// Fails when the fibre's expansion is left out (34 rad)
TEST_CASE("fibre: 37 rad per metre and kelvin, loss per km and connector") {
  Fibre f;
  f.length_m = 1.0;
  CHECK(fibre_phase_slope_rad_per_k(f, 1550e-9) == Approx(37.0).margin(0.5));
  f.length_m = 10.0;
  CHECK(1e-3 * fibre_phase_slope_rad_per_k(f, 1550e-9) == Approx(0.37).epsilon(0.02));
  f.length_m = 500.0;
  f.connectors = 2;
  CHECK(fibre_loss_db(f) == Approx(0.7).epsilon(1e-14));
  f.multiplexer_loss_db = 2.0;
  CHECK(fibre_loss_db(f) == Approx(4.7).epsilon(1e-14));
  CHECK(fibre_delay_s(f) == Approx(1.468 * 500 / 299792458.0).epsilon(1e-14));
}

// Fails when pass and leak are exchanged, or the crosstalk acts as dB/10 on the field
TEST_CASE("crossing: passes to the other position, leaks coherently, never amplifies") {
  const Matrix2 t = crossing(johnson_2020_crossing());
  CHECK(std::norm(t(1, 0)) == Approx(std::pow(10.0, -0.0043)).epsilon(1e-14));
  CHECK(std::norm(t(0, 0)) == Approx(1e-5).epsilon(1e-12));
  CHECK(std::arg(t(0, 0) / t(1, 0)) == Approx(pi / 2));
  CHECK(t(0, 1) == t(1, 0));
  CHECK(t(0, 0) == t(1, 1));
  const Matrix2 other = crossing(wafer_scale_crossing());
  CHECK(-10 * std::log10(std::norm(other(0, 1))) == Approx(0.18).epsilon(1e-12));
  CHECK(-10 * std::log10(std::norm(other(1, 1))) == Approx(41.0).epsilon(1e-12));
  for (const double phase : {0.0, 1.0, pi / 2, pi}) {
    Crossing d = johnson_2020_crossing();
    d.crosstalk_phase_rad = phase;
    CHECK(crossing(d).jacobiSvd().singularValues()[0] <= 1.0);
  }
  // 2 x 10^-2.5 of field would have to come from 0.001 dB of loss
  Crossing d;
  d.loss_db = 0.001;
  d.crosstalk_phase_rad = 0.0;
  check_message(refusal([&] { crossing(d); }), {"amplifies", "Raise"});
  d.crosstalk_db = std::numeric_limits<double>::infinity();
  CHECK(crossing(d)(0, 0) == 0.0);
  d.crosstalk_db = -1;
  check_message(refusal([&] { crossing(d); }), {"crosstalk_db = -1"});
}

// Fails when the bandwidth is taken as a half width
TEST_CASE("fibre couplers: 1 dB more at the ends of the 1-dB band, edge couplers flat") {
  const FibreCoupler grating = typical_grating_coupler();
  CHECK(fibre_coupler_loss_db(grating, 1550e-9) == 4.0);
  CHECK(fibre_coupler_loss_db(grating, 1550e-9 + 17.5e-9) == Approx(5.0).epsilon(1e-9));
  CHECK(fibre_coupler_loss_db(grating, 1550e-9 - 35e-9) == Approx(8.0).epsilon(1e-9));
  CHECK(fibre_coupler_loss_db(typical_edge_coupler(), 1310e-9) == 1.5);
  check_message(refusal([&] { fibre_coupler_loss_db(grating, 0.0); }), {"wavelength_m = 0"});
}

TEST_CASE("waveguides: negative lengths and losses are refused by name") {
  Waveguide g;
  g.loss_db_per_cm = -1;
  check_message(refusal([&] { waveguide_loss_db(g); }), {"loss_db_per_cm = -1"});
  g = {};
  g.bends = -2;
  check_message(refusal([&] { waveguide_phase_rad(g, 1550e-9); }), {"bends = -2"});
  check_message(refusal([&] { waveguide_phase_rad({}, -1.0); }), {"wavelength_m = -1"});
  Fibre f;
  f.length_m = -1;
  check_message(refusal([&] { fibre_loss_db(f); }), {"length_m = -1"});
}
