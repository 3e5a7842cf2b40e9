// What moves the phases of a programmed mesh: sensitivities by hand, histories as linear maps of them.

#include "physics/thermal/phase_drift.hpp"

#include <cmath>

#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

// fails when a sensitivity loses a factor, or the laser's has the other sign
TEST_CASE("sensitivities: the numbers of physics.md section 6") {
  CHECK(imbalance_phase_rad(1.0, 1.0) == Approx(730).epsilon(0.001));
  CHECK(imbalance_phase_rad(200e-6, 1.0) == Approx(0.146).epsilon(0.001));
  CHECK(imbalance_phase_rad(0.0, 10.0) == 0.0);  // equal arms feel no uniform temperature
  CHECK(gradient_phase_rad(200e-6, 30e-6, 1e3) == Approx(4.4e-3).epsilon(0.01));  // 1 K/mm over 30 um
  CHECK(fibre_phase_rad(1.0, 1.0) == Approx(37).epsilon(0.01));
  CHECK(fibre_phase_rad(10.0, 1e-3) == Approx(0.37).epsilon(0.01));
  CHECK(laser_drift_phase_rad(10e-6, 10e-12, 4.2) == Approx(-1.1e-3).epsilon(0.005));
  // phi = 2 pi n L / lambda with n(lambda) of the strip, n_g = n - lambda dn/dlambda
  const double dn = -1.13171e6, lambda = 1.55e-6, n = 2.44365, shift = 1e-12;
  const auto phase = [&](double l) { return 2 * 3.14159265358979 * (n + dn * (l - lambda)) * 1e-2 / l; };
  CHECK(laser_drift_phase_rad(1e-2, shift, 4.1978005) ==
        Approx((phase(lambda + shift) - phase(lambda - shift)) / 2).epsilon(1e-6));
}

// fails when x and y change places, when the length is left out of a gradient, or when the laser moves balanced
// arms
TEST_CASE("phase drift: every cause on its own, and their sum at every instant") {
  ArmPairs arms;
  arms.imbalance_m = Vector{{0.0, 1e-6, -2e-6}};
  arms.length_m = Vector{{200e-6, 100e-6, 0.0}};
  arms.pitch_x_m = Vector{{0.0, 30e-6, 30e-6}};
  arms.pitch_y_m = Vector{{20e-6, 0.0, 0.0}};
  const Vector left{{1e-3, -2e-3, 0.0}};
  const PhaseDrift drift = phase_drift(left, arms);
  DriftHistory h;
  h.die_k = Vector{{0.0, 2.0, 0.0, 0.0, 0.0, 2.0}};
  h.gradient_x_k_per_m = Vector{{0.0, 0.0, 500.0, 0.0, 0.0, 500.0}};
  h.gradient_y_k_per_m = Vector{{0.0, 0.0, 0.0, 800.0, 0.0, 800.0}};
  h.wavelength_shift_m = Vector{{0.0, 0.0, 0.0, 0.0, 5e-12, 5e-12}};
  const double per_k_m = 729.660229;
  const double laser = -2 * 3.14159265358979 * 4.198 * 5e-12 / (1.55e-6 * 1.55e-6);
  Eigen::MatrixXd moved(3, 6);
  moved.col(0) << 0, 0, 0;
  moved.col(1) << 0, 2e-6 * per_k_m, -4e-6 * per_k_m;
  moved.col(2) << 0, 100e-6 * 30e-6 * 500 * per_k_m, 0;
  moved.col(3) << 200e-6 * 20e-6 * 800 * per_k_m, 0, 0;
  moved.col(4) << 0, 1e-6 * laser, -2e-6 * laser;
  moved.col(5) = moved.rightCols(5).leftCols(4).rowwise().sum();
  const Eigen::MatrixXd found = phase_errors(drift, h);
  REQUIRE(found.cols() == 6);
  CHECK((found - (moved.colwise() + left)).cwiseAbs().maxCoeff() < 1e-11);
  double largest = 0;
  for (int k = 0; k < 5; ++k)
    largest = std::max(largest, (moved.col(k + 1) - moved.col(k)).cwiseAbs().maxCoeff());
  CHECK(largest_phase_step_rad(drift, h) == Approx(largest).epsilon(1e-6));
  // no arms given: nothing moves, whatever drifts
  const Eigen::MatrixXd still = phase_errors(phase_drift(left, {}), h);
  CHECK((still.colwise() - left).cwiseAbs().maxCoeff() == 0.0);
  CHECK(phase_errors(drift, {}).cols() == 0);
  CHECK(largest_phase_step_rad(drift, {}) == 0.0);
}

TEST_CASE("phase drift: what is refused") {
  ArmPairs arms;
  arms.imbalance_m = Vector::Zero(2);
  check_message(refusal([&] { phase_drift(Vector::Zero(3), arms); }),
                {"imbalance_m has 2 values for 3 heaters"});
  const PhaseDrift drift = phase_drift(Vector::Zero(3), {});
  DriftHistory h;
  h.die_k = Vector::Zero(4);
  h.wavelength_shift_m = Vector::Zero(3);
  check_message(refusal([&] { phase_errors(drift, h); }), {"instant 3 of wavelength_shift_m, which has 3"});
  Vector room(2);
  check_message(refusal([&] { phase_errors_at(drift, h, 0, room); }), {"room for 2 phase errors of 3"});
}
