// Variants of the MZI: closed forms of the perfect ones, what each error and loss does, what stays unitary.

#include "physics/devices/mzi_variants.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/plain_matrices.hpp"

using namespace optinc;
using namespace optinc::testing;

namespace {

Matrix2 splitter(double eta) {
  return matrix2(std::cos(eta), i * std::sin(eta), i * std::sin(eta), std::cos(eta));
}

Matrix2 phases(double upper, double lower) {
  return matrix2(std::polar(1.0, upper), 0, 0, std::polar(1.0, lower));
}

MziVariantErrors lossless_errors(Stream& s, double sigma) {
  MziVariantErrors e;
  for (double* x : {&e.mzi.alpha, &e.mzi.beta, &e.mzi.theta_offset, &e.mzi.phi_offset, &e.gamma,
                    &e.common_offset, &e.output_offset})
    *x = sigma * s.normal();
  return e;
}

}  // namespace

// Fails when the arms are exchanged, or when push_pull forgets the halves
TEST_CASE("symmetric MZI: mean phase turns both outputs, difference mixes, 1000 draws") {
  Stream s = test_stream(61);
  for (int draw = 0; draw < 1000; ++draw) {
    const double theta = 7 * s.normal(), common = 7 * s.normal();
    const double sine = std::sin(theta / 2), cosine = std::cos(theta / 2);
    const Matrix2 expected = i * std::polar(1.0, common) * matrix2(sine, cosine, cosine, -sine);
    REQUIRE(max_abs(symmetric_mzi(push_pull(theta, common)) - expected) < 1e-13);
  }
  CHECK(max_abs(symmetric_mzi({0.7, 0.0}) - mzi({0.7, 0.0})) < 1e-15);  // single-armed: the plain one
}

// Fails when alpha and beta are exchanged, an offset goes to the other arm, or a loss acts on the power
TEST_CASE("symmetric MZI: errors and losses are those of its parts") {
  SymmetricMziErrors e{0.03, -0.05, 0.2, -0.1, 6.0, 20.0};
  const Matrix2 arms = matrix2(std::pow(10.0, -0.3) * std::polar(1.0, 0.6), 0, 0, 0.1 * std::polar(1.0, 1.0));
  const Matrix2 expected = splitter(pi / 4 - 0.05) * arms * splitter(pi / 4 + 0.03);
  CHECK(max_abs(symmetric_mzi({0.4, 1.1}, e) - expected) < 1e-15);
}

// Fails when theta stays single-armed, or the constant i is left in
TEST_CASE("real MZI: real for phi = 0 and pi, a reflection at phi = 0") {
  for (const double theta : {0.0, 0.3, pi / 2, 2.5, pi}) {
    const double s = std::sin(theta / 2), c = std::cos(theta / 2);
    CHECK(max_abs(real_mzi({theta, 0.0}) - matrix2(s, c, c, -s)) < 1e-15);
    CHECK(max_abs(real_mzi({theta, pi}) - matrix2(-s, c, -c, -s)) < 1e-15);
  }
}

// Fails when theta_offset is not halved with theta, or common_offset is left out
TEST_CASE("real MZI: product of its parts, errors and losses in") {
  Stream s = test_stream(62);
  for (int draw = 0; draw < 100; ++draw) {
    MziVariantErrors e = lossless_errors(s, 0.1);
    e.mzi.theta_arm_loss_db = s.uniform();
    e.mzi.phi_other_loss_db = s.uniform();
    const double theta = 3 * s.normal(), phi = 3 * s.normal();
    const double half = (theta + e.mzi.theta_offset) / 2;
    const Matrix2 inner = matrix2(std::pow(10.0, -e.mzi.theta_arm_loss_db / 20), 0, 0, 1) * phases(half, -half);
    const Matrix2 outer =
        matrix2(1, 0, 0, std::pow(10.0, -e.mzi.phi_other_loss_db / 20)) * phases(phi + e.mzi.phi_offset, 0);
    const Matrix2 expected = -i * std::polar(1.0, e.common_offset) * splitter(pi / 4 + e.mzi.beta) * inner *
                             splitter(pi / 4 + e.mzi.alpha) * outer;
    REQUIRE(max_abs(real_mzi({theta, phi}, e) - expected) < 1e-14);
  }
}

// Fails when the third splitter stands behind the MZI, or gamma is left out
TEST_CASE("MZI of three splitters: the third in front of phi") {
  Stream s = test_stream(63);
  for (int draw = 0; draw < 100; ++draw) {
    const MziVariantErrors e = lossless_errors(s, 0.1);
    const double theta = 3 * s.normal(), phi = 3 * s.normal();
    const Matrix2 expected = std::polar(1.0, e.common_offset) * splitter(pi / 4 + e.mzi.beta) *
                             phases(theta + e.mzi.theta_offset, 0) * splitter(pi / 4 + e.mzi.alpha) *
                             phases(phi + e.mzi.phi_offset, 0) * splitter(pi / 4 + e.gamma);
    REQUIRE(max_abs(three_splitter_mzi({theta, phi}, e) - expected) < 1e-14);
  }
}

// Fails when phi stays single-armed, when the quarter wave sits on output 1, or K is not conjugated
TEST_CASE("balanced MZI of three splitters: real at theta = pi/2, phi carries the weight") {
  for (const double phi : {0.0, 0.4, pi / 2, pi, 4.0, 6.0}) {
    const double x = phi / 2, c = std::cos(x - pi / 4), s = std::cos(x + pi / 4);
    CHECK(max_abs(balanced_three_splitter_mzi({pi / 2, phi}) - matrix2(c, s, s, -c)) < 1e-15);
  }
}

// Fails when an offset of the difference is not push-pull, or the quarter wave's error is left out
TEST_CASE("balanced MZI of three splitters: product of its parts") {
  Stream s = test_stream(64);
  for (int draw = 0; draw < 100; ++draw) {
    const MziVariantErrors e = lossless_errors(s, 0.1);
    const double theta = 3 * s.normal(), phi = 3 * s.normal();
    const double t = (theta + e.mzi.theta_offset) / 2, p = (phi + e.mzi.phi_offset) / 2;
    const Matrix2 expected = std::polar(1.0, e.common_offset - 3 * pi / 4) *
                             phases(0, pi / 2 + e.output_offset) * splitter(pi / 4 + e.mzi.beta) *
                             phases(t, -t) * splitter(pi / 4 + e.mzi.alpha) * phases(p, -p) *
                             splitter(pi / 4 + e.gamma);
    REQUIRE(max_abs(balanced_three_splitter_mzi({theta, phi}, e) - expected) < 1e-14);
  }
}

// Fails when any of them loses or gains light where it has no loss, or gains with one
TEST_CASE("variants without losses are unitary, with losses they pass no more than they get") {
  Stream s = test_stream(65);
  for (int draw = 0; draw < 200; ++draw) {
    MziVariantErrors e = lossless_errors(s, 0.3);
    const MziSettings set = {3 * s.normal(), 3 * s.normal()};
    for (const bool lossy : {false, true}) {
      if (lossy) e.mzi.theta_arm_loss_db = e.mzi.phi_arm_loss_db = 0.5;
      for (const Matrix2& t :
           {real_mzi(set, e), three_splitter_mzi(set, e), balanced_three_splitter_mzi(set, e)}) {
        const Matrix defect = t.adjoint() * t - Matrix2::Identity();
        if (lossy)
          REQUIRE(Eigen::SelfAdjointEigenSolver<Matrix>(defect).eigenvalues().maxCoeff() < 1e-14);
        else
          REQUIRE(max_abs(defect) < 1e-14);
      }
    }
  }
}
