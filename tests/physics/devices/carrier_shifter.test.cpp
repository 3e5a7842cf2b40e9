// Plasma dispersion of silicon and the lossy shifter made of it (Soref and Bennett 1987, Nedeljkovic et al.
// 2011).

#include "physics/devices/carrier_shifter.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;
using namespace optinc::testing;

namespace {

using constants::pi;

}  // namespace

// Fails when densities are taken in m^-3, when absorption stays in 1/cm, or when a sign is lost
TEST_CASE("plasma dispersion: the published fits at typed densities") {
  // 1.5e-3 at 1e18 holes per cm^3 and 1.3 um: Soref & Bennett 1987
  CHECK(carrier_change(soref_bennett_1987_1300nm(), {0, 1e24}).index == Approx(-1.507e-3).epsilon(1e-3));
  const Carriers carriers{1e23, 5e23};  // 1e17 and 5e17 per cm^3
  const CarrierChange soref = carrier_change(soref_bennett_1987_1550nm(), carriers);
  CHECK(soref.index == Approx(-(8.8e-5 + 8.5e-18 * std::pow(5e17, 0.8))).epsilon(1e-12));
  CHECK(soref.index == Approx(-1.3144e-3).epsilon(1e-4));
  CHECK(soref.absorption_per_m == Approx(385.0).epsilon(1e-12));  // 0.85 + 3 per cm
  const CarrierChange nedeljkovic = carrier_change(nedeljkovic_2011_1550nm(), carriers);
  CHECK(nedeljkovic.index == Approx(-1.12161e-3).epsilon(1e-4));
  CHECK(nedeljkovic.absorption_per_m == Approx(309.361).epsilon(1e-4));
  CHECK(carrier_change(nedeljkovic_2011_1550nm(), {}).index == 0.0);
}

// Fails when the absorption acts on the field in full instead of by half
TEST_CASE("carrier shifter: exp(i phi - a L/2), with the overlap in both") {
  CarrierShifter d;
  d.dispersion = soref_bennett_1987_1550nm();
  d.length_m = 2e-3;
  d.overlap = 0.6;
  d.background_loss_db = 20.0;
  const Carriers carriers{1e23, 5e23};
  const double index = -(8.8e-5 + 8.5e-18 * std::pow(5e17, 0.8));
  const double phase = 2 * pi / 1550e-9 * 0.6 * index * 2e-3;
  CHECK(carrier_phase_rad(d, carriers) == Approx(phase).epsilon(1e-12));
  CHECK(std::abs(carrier_field(d, carriers) - 0.1 * std::polar(std::exp(-0.6 * 385.0 * 2e-3 / 2), phase)) <
        1e-14);
}

// Fails when the delay is taken with the wrong sign, or the loss left out of the derivative
TEST_CASE("carrier shifter: reaches every phase by injection, with a loss that grows with the delay") {
  const CarrierShifter d;
  double before = 1.0;
  for (const double delay : {0.0, 1e-3, 0.5, 2.0, 4.0, 6.2}) {
    CAPTURE(delay);
    const CarrierShifterAtPhase at = carrier_shifter_at_phase(d, -delay);
    CHECK(std::abs(at.field / std::abs(at.field) - std::polar(1.0, -delay)) < 1e-12);
    CHECK(std::abs(at.field) <= before);
    before = std::abs(at.field);
    if (delay == 0.0) continue;
    const double h = 1e-6 * delay;
    const Complex slope =
        (carrier_shifter_at_phase(d, -delay + h).field - carrier_shifter_at_phase(d, -delay - h).field) /
        (2 * h);
    CHECK(std::abs(at.slope_per_rad - slope) < 1e-7);
  }
  CHECK(std::abs(carrier_shifter_at_phase(d, 2 * pi - 0.5).field - carrier_shifter_at_phase(d, -0.5).field) <
        1e-12);
  // depletion removes carriers: the phase grows and the loss falls
  CHECK(carrier_phase_rad(d, {1e23, 1e23}) > carrier_phase_rad(d, {2e23, 2e23}));
  CHECK(std::abs(carrier_field(d, {1e23, 1e23})) > std::abs(carrier_field(d, {2e23, 2e23})));
}

TEST_CASE("carrier shifter: refusals and warnings") {
  CarrierShifter d;
  check_message(refusal([&] { carrier_field(d, {-1.0, 0}); }), {"electrons_per_m3 = -1"});
  d.length_m = 1e-7;
  check_message(refusal([&] { carriers_for_phase(d, 1.0); }), {"cannot delay", "longer"});
  d = {};
  d.overlap = 1.2;
  check_message(refusal([&] { carrier_field(d, {}); }), {"overlap = 1.2"});
  CHECK(carrier_warnings({1e25, 1e25}).empty());
  CHECK(carrier_warnings({2e26, 1e25}).size() == 1);
}
