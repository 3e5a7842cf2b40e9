// Couplers with loss and wavelength, and the MMI.

#include "physics/devices/coupler.hpp"

#include "physics/devices/mmi.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/plain_matrices.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;
using namespace optinc::testing;

// Fails when the loss acts on the field as dB/10, or the slope is per um
TEST_CASE("directional coupler: excess loss, and a splitting angle in proportion to the wavelength's change") {
  const DirectionalCoupler d;  // 0.4 %/nm, 0.05 dB
  const Matrix2 t = directional_coupler(d, 1550e-9);
  CHECK(t.col(0).squaredNorm() == Approx(std::pow(10.0, -0.005)).epsilon(1e-14));
  CHECK(coupler_eta_rad(d, 1555e-9) == Approx(1.02 * pi / 4).epsilon(1e-12));
  for (const double shift : {1e-9, 5e-9, 20e-9}) {  // the sweep is symmetric about 50:50
    CAPTURE(shift);
    const double above = std::norm(directional_coupler(d, 1550e-9 + shift)(1, 0)) / t.col(0).squaredNorm();
    const double below = std::norm(directional_coupler(d, 1550e-9 - shift)(1, 0)) / t.col(0).squaredNorm();
    CHECK(above - 0.5 == Approx(0.5 - below).epsilon(1e-9));
    CHECK(above == Approx((1 + std::sin(pi / 2 * 4e6 * shift)) / 2).epsilon(1e-12));
  }
  // a weak coupler keeps its share of the change: sin^2(1.04 eta) of sin^2 eta, once 1.08 and not (0.08/0.04)^2
  const DirectionalCoupler weak{.eta_rad = 0.04, .excess_loss_db = 0};
  CHECK(std::norm(directional_coupler(weak, 1560e-9)(1, 0)) ==
        Approx(std::pow(std::sin(0.0416), 2)).epsilon(1e-12));
}

// Fails when as_coupler forgets the imbalance or pi/4
TEST_CASE("MMI: the coupler's matrix, a slope ten times smaller, more loss") {
  Mmi2x2 d;
  d.imbalance_rad = 0.05;
  const Matrix2 t = mmi_2x2(d, 1550e-9);
  CHECK(std::norm(t(1, 0)) == Approx(0.54992 * std::pow(10.0, -0.03)).epsilon(1e-5));
  CHECK(t.row(0).squaredNorm() == Approx(std::pow(10.0, -0.03)).epsilon(1e-14));
  CHECK(coupler_eta_rad(as_coupler(d), 1560e-9) == Approx((pi / 4 + 0.05) * 1.0064).epsilon(1e-12));
}

TEST_CASE("couplers: what is impossible is refused, what is unusual reported") {
  DirectionalCoupler d;
  CHECK(coupler_warnings(d).empty());
  d.eta_relative_slope_per_m = 9e6;
  d.excess_loss_db = 0.5;
  CHECK(coupler_warnings(d).size() == 2);
  d.excess_loss_db = -0.1;
  check_message(refusal([&] { directional_coupler(d, 1550e-9); }), {"excess_loss_db = -0.1", ">= 0"});
  check_message(refusal([&] { directional_coupler({}, -1.0); }), {"wavelength_m = -1"});
}
