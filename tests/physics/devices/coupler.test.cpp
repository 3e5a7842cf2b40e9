// Couplers with mismatch, loss and wavelength, and the MMI.

#include "physics/devices/coupler.hpp"

#include "physics/devices/mmi.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/plain_matrices.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;
using namespace optinc::testing;

namespace {

/// Classical Runge-Kutta of da/dz = i (D/2) a + i kappa b, db/dz = i kappa a - i (D/2) b.
Matrix2 integrated(double kappa, double mismatch, double length) {
  constexpr int steps = 4000;
  Matrix2 g, t = Matrix2::Identity();
  g << i * mismatch / 2.0, i * kappa, i * kappa, -i * mismatch / 2.0;
  const double h = length / steps;
  for (int k = 0; k < steps; ++k) {
    const Matrix2 k1 = g * t, k2 = g * (t + h / 2 * k1), k3 = g * (t + h / 2 * k2), k4 = g * (t + h * k3);
    t += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return t;
}

MismatchedCoupler moved(MismatchedCoupler d, double kappa, double mismatch, double length) {
  d.coupling_per_m += kappa;
  d.delta_beta_per_m += mismatch;
  d.length_m += length;
  return d;
}

}  // namespace

// Fails when the two bars are not conjugates of each other, or the mismatch enters undivided
TEST_CASE("mismatched coupler: solves the coupled-mode equations, unitary and reciprocal") {
  for (const auto& [kappa, mismatch, length] :
       {std::tuple{4e4, 3e4, 2e-5}, {4e4, -9e4, 5e-5}, {-2e4, 5e4, 3e-5}, {0.0, 7e4, 4e-5}, {3e4, 0.0, 0.0}}) {
    CAPTURE(kappa, mismatch, length);
    const Matrix2 t = mismatched_coupler({kappa, mismatch, length});
    CHECK(max_abs(t - integrated(kappa, mismatch, length)) < 1e-12);
    CHECK(unitarity_defect(t) < 2e-15);
    CHECK(t(0, 1) == t(1, 0));
  }
}

// Fails when s = kappa + |delta_beta|/2, or when the cross element is i sin(s L)
TEST_CASE("mismatched coupler: no more than kappa^2/s^2 crosses, without mismatch it is DC(kappa L)") {
  const double kappa = 3e4, mismatch = 8e4;  // s = 5e4: 9/25 at most
  double most = 0;
  for (int k = 0; k <= 1000; ++k)
    most = std::max(most, std::norm(mismatched_coupler({kappa, mismatch, k * 1e-7})(1, 0)));
  CHECK(most == Approx(0.36).epsilon(1e-5));
  CHECK(most_cross_power({kappa, mismatch, 1.0}) == Approx(0.36).epsilon(1e-14));
  CHECK(most_cross_power({0.0, 0.0, 1.0}) == 0.0);
  CHECK(max_abs(mismatched_coupler({kappa, 0.0, 2e-5}) - coupler(0.6)) < 1e-15);
}

// Fails when sinc' loses its factor, or the derivative by delta_beta its 1/4; the last case sits in the series
TEST_CASE("mismatched coupler: derivatives are those of the matrix") {
  for (const auto& [kappa, mismatch, length] :
       {std::tuple{4e4, 3e4, 2e-5}, {4e4, -9e4, 5e-5}, {0.0, 0.0, 4e-5}, {100.0, -40.0, 3e-5}}) {
    CAPTURE(kappa, mismatch, length);
    const MismatchedCoupler d{kappa, mismatch, length};
    const auto slope = [&](double by_kappa, double by_mismatch, double by_length) {
      const double h = by_kappa + by_mismatch + by_length;
      return Matrix2((mismatched_coupler(moved(d, by_kappa, by_mismatch, by_length)) -
                      mismatched_coupler(moved(d, -by_kappa, -by_mismatch, -by_length))) /
                     (2 * h));
    };
    const MismatchedCouplerDerivatives found = mismatched_coupler_derivatives(d);
    CHECK(max_abs(found.coupling - slope(1.0, 0, 0)) < 1e-9 * length + 1e-13);
    CHECK(max_abs(found.delta_beta - slope(0, 1.0, 0)) < 1e-9 * length + 1e-13);
    CHECK(max_abs(found.length - slope(0, 0, 1e-10)) < 1e-9 * 1e5);
  }
}

// Fails when the derivative's bar loses its sign
TEST_CASE("coupler: derivative by eta") {
  const double c = 0.95533648912560601964, s = 0.29552020666133957511;  // of 0.3 rad
  Matrix2 expected;
  expected << -s, i * c, i * c, -s;
  CHECK(max_abs(coupler_derivative(0.3) - expected) < 1e-15);
  DirectionalCoupler d;
  d.eta_rad = 0.3;
  d.excess_loss_db = 20.0;
  CHECK(max_abs(directional_coupler_derivative(d, 1550e-9) - 0.1 * expected) < 1e-15);
}

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
  check_message(refusal([] { mismatched_coupler({1.0, 1.0, -1e-6}); }), {"length_m"});
  check_message(refusal([] { mismatched_coupler({std::nan(""), 1.0, 1e-6}); }), {"coupling_per_m", "finite"});
}
