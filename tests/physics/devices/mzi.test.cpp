// Rows 2 and 3 of `optinc validate`, and identities of couplers and MZIs.

#include "physics/devices/mzi.hpp"

#include "physics/devices/coupler.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/plain_matrices.hpp"

using namespace optinc;
using namespace optinc::testing;

namespace {

Matrix2 swap_times_i() {
  Matrix2 x;
  x << 0, i, i, 0;
  return x;
}

/// The closed form of docs/guide/theory.md, typed anew.
Matrix2 published_mzi(double theta, double phi, double alpha, double beta) {
  const double c = std::cos(theta / 2), s = std::sin(theta / 2);
  const Complex e = std::exp(i * phi);
  Matrix2 t;
  t(0, 0) = e * (i * s * std::cos(alpha - beta) - c * std::sin(alpha + beta));
  t(0, 1) = i * c * std::cos(alpha + beta) - s * std::sin(alpha - beta);
  t(1, 0) = e * (i * c * std::cos(alpha + beta) + s * std::sin(alpha - beta));
  t(1, 1) = -i * s * std::cos(alpha - beta) - c * std::sin(alpha + beta);
  return std::exp(i * (theta / 2)) * t;
}

MziErrors splitters(double alpha, double beta) {
  MziErrors e;
  e.alpha = alpha;
  e.beta = beta;
  return e;
}

struct Range {
  double least, most;
};

Range scan_bar_power(const MziErrors& errors) {
  Range r{2.0, -1.0};
  constexpr int points = 20000;
  for (int k = 0; k < points; ++k) {
    const double power = std::norm(mzi({2 * pi * k / points, 0.3}, errors)(0, 0));
    r = {std::min(r.least, power), std::max(r.most, power)};
  }
  return r;
}

}  // namespace

// fails when mzi exchanges alpha and beta, or mzi_closed_form flips the sign of one S- term
TEST_CASE("row 2: the product of the parts is the closed form, 1000 draws") {
  const std::uint64_t seed = 20;
  CAPTURE(seed);
  Stream s = test_stream(seed);
  double product = 0, library = 0;
  for (int draw = 0; draw < 1000; ++draw) {
    const double theta = 2 * pi * s.uniform(), phi = 2 * pi * s.uniform();
    const double alpha = 0.3 * s.normal(), beta = 0.3 * s.normal();
    const Matrix2 expected = published_mzi(theta, phi, alpha, beta);
    product = std::max(product, max_abs(mzi({theta, phi}, splitters(alpha, beta)) - expected));
    library = std::max(library, max_abs(mzi_closed_form(theta, phi, alpha, beta) - expected));
  }
  CHECK(product < 1e-14);
  CHECK(library < 1e-14);
}

// fails when the splitters enter with opposite signs (no leak at all)
TEST_CASE("leakage of the cross state with both splitters off by d is sin^2 2d") {
  for (const auto& [d, leak_db] : {std::pair{0.01, -33.98}, {0.02, -27.96}, {0.05, -20.01}}) {
    CAPTURE(d);
    const double leak = std::norm(mzi({0.0, 0.0}, splitters(d, d))(0, 0));
    CHECK(leak == Approx(std::pow(std::sin(2 * d), 2)).epsilon(1e-12));
    CHECK(std::abs(10 * std::log10(leak) - leak_db) < 0.005);
  }
}

// fails when arm losses act on the power twice (dB/10 on the field)
TEST_CASE("extinction from arm imbalance g with perfect couplers is 20 log10((1+g)/(1-g))") {
  for (const auto& [loss_db, extinction_db] : {std::pair{0.1, 44.8}, {0.5, 30.8}, {1.0, 24.8}}) {
    for (const bool heater_arm : {true, false}) {
      CAPTURE(loss_db, heater_arm);
      MziErrors e;
      (heater_arm ? e.theta_arm_loss_db : e.theta_other_loss_db) = loss_db;
      const Range r = scan_bar_power(e);
      const double g = std::pow(10.0, -loss_db / 20);
      CHECK(10 * std::log10(r.most / r.least) == Approx(20 * std::log10((1 + g) / (1 - g))).margin(1e-3));
      CHECK(std::abs(10 * std::log10(r.most / r.least) - extinction_db) < 0.05);
    }
  }
}

// fails when the two input-arm losses are exchanged
TEST_CASE("losses of the input arms attenuate the column of their own input") {
  const MziSettings settings{0.9, 0.4};
  const Matrix2 lossless = mzi(settings, splitters(0.03, -0.02));
  MziErrors e = splitters(0.03, -0.02);
  e.phi_arm_loss_db = 6.0;
  e.phi_other_loss_db = 14.0;
  const Matrix2 t = mzi(settings, e);
  CHECK(max_abs(t.col(0) - lossless.col(0) * std::pow(10.0, -0.3)) < 1e-15);
  CHECK(max_abs(t.col(1) - lossless.col(1) * std::pow(10.0, -0.7)) < 1e-15);
}

TEST_CASE("phase offsets add to the phases that are set") {
  MziErrors e = splitters(0.03, 0.01);
  e.theta_offset = 0.21;
  e.phi_offset = -0.4;
  CHECK(max_abs(mzi({0.5, 1.0}, e) - published_mzi(0.71, 0.6, 0.03, 0.01)) < 1e-15);
}

TEST_CASE("couplers: unitary, angles add, two halves cross over, period 2 pi") {
  Stream s = test_stream(40);
  for (int draw = 0; draw < 100; ++draw) {
    const double a = 3 * s.normal(), b = 3 * s.normal();
    CAPTURE(a, b);
    CHECK(unitarity_defect(coupler(a)) < 1e-15);
    CHECK(max_abs(coupler(a) * coupler(b) - coupler(a + b)) < 4e-15);
    CHECK(max_abs(coupler(a + 2 * pi) - coupler(a)) < 4e-15);
  }
  CHECK(max_abs(coupler(pi / 4) * coupler(pi / 4) - swap_times_i()) < 1e-15);
}

// fails when the cross element loses its factor i (the field is then not one of coupled-mode theory)
TEST_CASE("couplers solve the coupled-mode equations da/dz = i kappa b") {
  // classical Runge-Kutta of the equations themselves, kappa z from 0 to eta
  constexpr int steps = 2000;
  const double eta = 0.9, h = eta / steps;
  Matrix2 t = Matrix2::Identity();
  const Matrix2 g = swap_times_i();
  for (int k = 0; k < steps; ++k) {
    const Matrix2 k1 = g * t, k2 = g * (t + h / 2 * k1), k3 = g * (t + h / 2 * k2), k4 = g * (t + h * k3);
    t += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  CHECK(max_abs(coupler(eta) - t) < 1e-13);
}

TEST_CASE("couplers: power cross-coupling is (1 + sin 2 delta)/2 at pi/4 + delta") {
  CHECK(std::norm(coupler(pi / 4 + 0.05)(1, 0)) == Approx(0.54992).margin(5e-6));
  CHECK(std::norm(coupler(pi / 4 - 0.02)(0, 1)) == Approx((1 - std::sin(0.04)) / 2).epsilon(1e-14));
}

TEST_CASE("MZI: lossless is unitary, with losses no singular value exceeds 1") {
  const std::uint64_t seed = 50;
  CAPTURE(seed);
  Stream s = test_stream(seed);
  for (int draw = 0; draw < 200; ++draw) {
    const MziSettings settings{2 * pi * s.uniform(), 2 * pi * s.uniform()};
    MziErrors e = splitters(0.1 * s.normal(), 0.1 * s.normal());
    CHECK(unitarity_defect(mzi(settings, e)) < 2e-15);
    e.theta_arm_loss_db = s.uniform();
    e.theta_other_loss_db = s.uniform();
    e.phi_arm_loss_db = s.uniform();
    e.phi_other_loss_db = s.uniform();
    CHECK(mzi(settings, e).jacobiSvd().singularValues()[0] <= 1.0 + 2 * eps);
  }
}

// fails when coupler is not symmetric (e.g. one cross element -i sin eta)
TEST_CASE("MZI: reciprocity, backward transfer is the mirrored chain and the transpose") {
  const double theta = 1.1, phi = 2.3, alpha = 0.06, beta = -0.03;
  MziErrors e = splitters(alpha, beta);
  e.theta_arm_loss_db = 0.4;
  const Matrix2 external = Eigen::Vector2cd(std::polar(1.0, phi), 1.0).asDiagonal();
  const Matrix2 internal = Eigen::Vector2cd(std::polar(std::pow(10.0, -0.02), theta), 1.0).asDiagonal();
  const Matrix2 backward = external * coupler(pi / 4 + alpha) * internal * coupler(pi / 4 + beta);
  CHECK(max_abs(mzi({theta, phi}, e).transpose() - backward) < 1e-15);
}

// fails when the least bar power is left out of mzi_theta_for_bar_power
TEST_CASE("theta for a bar power: reached where it can be, nearest and flagged where it cannot") {
  const std::uint64_t seed = 60;
  CAPTURE(seed);
  Stream s = test_stream(seed);
  for (int draw = 0; draw < 500; ++draw) {
    const double alpha = 0.1 * s.normal(), beta = 0.1 * s.normal(), wanted = s.uniform();
    CAPTURE(draw, alpha, beta, wanted);
    const double least = std::pow(std::sin(alpha + beta), 2), most = std::pow(std::cos(alpha - beta), 2);
    bool clipped = false;
    const double theta = mzi_theta_for_bar_power(wanted, alpha, beta, clipped);
    CHECK(theta >= 0.0);
    CHECK(theta <= pi);
    CHECK(clipped == (wanted < least || wanted > most));
    const double reached = std::norm(published_mzi(theta, 0.0, alpha, beta)(0, 0));
    CHECK(std::abs(reached - std::clamp(wanted, least, most)) < 1e-14);
  }
  bool clipped = true;
  CHECK(mzi_theta_for_bar_power(0.0, 0.0, 0.0, clipped) == 0.0);
  CHECK_FALSE(clipped);
  CHECK(mzi_theta_for_bar_power(1.0, 0.0, 0.0, clipped) == Approx(pi).epsilon(1e-15));
  CHECK_FALSE(clipped);
  mzi_theta_for_bar_power(0.0, 0.01, 0.0, clipped);
  CHECK(clipped);
}
