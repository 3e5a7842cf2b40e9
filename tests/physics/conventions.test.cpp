// Pins what physics/core/field.hpp and units.hpp promise. Every expected value is typed here.

#include "physics/core/field.hpp"
#include "physics/core/units.hpp"
#include "physics/devices/coupler.hpp"
#include "physics/devices/modulator.hpp"
#include "physics/devices/mzi.hpp"
#include "physics/devices/phase_shifter.hpp"
#include "physics/mesh/reference_mesh.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/plain_matrices.hpp"

using namespace optinc;
using namespace optinc::testing;

namespace {

double distance(const Matrix& a, const Matrix& b) { return (a - b).cwiseAbs().maxCoeff(); }

}  // namespace

// fails when phase_shifter returns exp(-i phi), or when the loss acts on the power instead of the field
TEST_CASE("field: propagation multiplies by exp(+i phi) and a loss in dB by 10^(-dB/20)") {
  CHECK(std::abs(phase_shifter(pi / 2) - i) < 1e-15);
  CHECK(std::abs(phase_shifter(0.3) - Complex(0.95533648912560601964, 0.29552020666133957511)) < 1e-15);
  CHECK(std::abs(phase_shifter(0.0, 20.0) - 0.1) < 1e-15);  // 20 dB: a hundredth of the power
}

// fails when the cross element is -i sin eta
TEST_CASE("coupler: bar cos eta, cross +i sin eta") {
  const double c = 0.95533648912560601964, s = 0.29552020666133957511;  // of 0.3 rad
  CHECK(distance(coupler(0.3), matrix2(c, i * s, i * s, c)) < 1e-15);
}

// fails when phi sits on the lower arm or on the output side, when theta sits on the lower arm, or when the
// bar and cross state are exchanged
TEST_CASE("MZI: theta = 0 is cross, theta = pi is bar, phi turns the upper input") {
  const double phi = 0.7;
  const Complex turn = std::polar(1.0, phi);
  CHECK(distance(mzi({0.0, phi}), matrix2(0, i, i * turn, 0)) < 1e-15);
  CHECK(distance(mzi({pi, phi}), matrix2(-turn, 0, 0, 1)) < 1e-15);
}

TEST_CASE("MZI: half-way it is a 50:50 splitter with a common phase e^{i theta/2}") {
  const Complex common = i * std::polar(std::sqrt(0.5), pi / 4);
  CHECK(distance(mzi({pi / 2, 0.0}), common * matrix2(1, 1, 1, -1)) < 1e-15);
}

// fails when alpha and beta are exchanged
TEST_CASE("MZI: alpha is the splitter next to the input, beta the one next to the output") {
  // alpha = -pi/4 makes the first coupler a plain wire, beta = -pi/4 the second one
  const double h = std::sqrt(0.5), theta = 0.4;
  const Complex t = std::polar(1.0, theta);
  MziErrors first;
  first.alpha = -pi / 4;
  CHECK(distance(mzi({theta, 0.0}, first), h * matrix2(t, i, i * t, 1)) < 1e-15);
  MziErrors second;
  second.beta = -pi / 4;
  CHECK(distance(mzi({theta, 0.0}, second), h * matrix2(t, i * t, i, 1)) < 1e-15);
}

// fails when odd columns also start from port 0, or when MZIs are numbered bottom to top
TEST_CASE("mesh: ports top to bottom, MZIs in column order, odd columns start at port 1") {
  const MeshTopology t = clements_topology(5);
  const std::vector<std::pair<int, int>> expected = {{0, 1}, {2, 3}, {1, 2}, {3, 4}, {0, 1},
                                                     {2, 3}, {1, 2}, {3, 4}, {0, 1}, {2, 3}};
  REQUIRE(t.mzis.size() == expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) {
    CAPTURE(k);
    CHECK(t.mzis[k].upper == expected[k].first);
    CHECK(t.mzis[k].lower == expected[k].second);
  }
  CHECK(t.column_begin == std::vector<int>{0, 2, 4, 6, 8, 10});
  CHECK(t.column(3).front().upper == 1);
  CHECK(t.column(3).back().upper == 3);
}

// fails when columns are multiplied in the reverse order
TEST_CASE("mesh: column 0 meets the light first, rows of the matrix are outputs") {
  // cross, cross, bar: light from port 0 moves 0 -> 1 -> 2 and stays there
  const MeshTopology t = clements_topology(3);
  MeshProgram program{Vector::Zero(3), Vector::Zero(3), Vector::Zero(3)};
  program.theta[2] = pi;
  const Eigen::MatrixXd power = reference_transfer_matrix(t, program, no_errors(t)).cwiseAbs2();
  Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(3, 3);
  expected(2, 0) = expected(0, 1) = expected(1, 2) = 1.0;
  CHECK((power - expected).cwiseAbs().maxCoeff() < 1e-15);
}

// fails when the output screen acts on the inputs
TEST_CASE("mesh: the output screen lies behind the last column and turns rows") {
  const MeshTopology t = clements_topology(2);
  MeshProgram program{Vector::Zero(1), Vector::Constant(1, 0.7), Vector(2)};
  program.output_phase << 0.2, -0.5;
  const Matrix2 expected = matrix2(0, i * std::polar(1.0, 0.2), i * std::polar(1.0, 0.7 - 0.5), 0);
  CHECK(distance(reference_transfer_matrix(t, program, no_errors(t)), expected) < 1e-15);
}

// fails when power_ratio_of_loss_db drops its minus sign or divides by 20
TEST_CASE("units: dB of power and field, dBm") {
  CHECK(power_ratio_of_loss_db(10.0) == Approx(0.1).epsilon(1e-15));
  CHECK(field_ratio_of_loss_db(10.0) == Approx(0.31622776601683793320).epsilon(1e-15));
  CHECK(power_ratio_of_loss_db(3.0102999566398119521) == Approx(0.5).epsilon(1e-15));
  CHECK(loss_db_of_power_ratio(0.25) == Approx(6.0205999132796239043).epsilon(1e-15));
  CHECK(power_ratio_of_loss_db(0.0) == 1.0);
  CHECK(watts_of_dbm(0.0) == Approx(1e-3).epsilon(1e-15));
  CHECK(watts_of_dbm(13.0) == Approx(0.019952623149688796).epsilon(1e-14));
  CHECK(dbm_of_watts(0.1) == Approx(20.0).epsilon(1e-15));
  CHECK(dbm_of_watts(watts_of_dbm(-8.2)) == Approx(-8.2).epsilon(1e-14));
}

TEST_CASE("units: losses in dB add where ratios multiply") {  // row 20
  for (const double a : {0.0, 0.043, 0.23, 1.5, 26.0})
    for (const double b : {0.05, 0.28, 12.0}) {
      CAPTURE(a, b);
      CHECK(power_ratio_of_loss_db(a + b) ==
            Approx(power_ratio_of_loss_db(a) * power_ratio_of_loss_db(b)).epsilon(1e-12));
      CHECK(field_ratio_of_loss_db(a + b) ==
            Approx(field_ratio_of_loss_db(a) * field_ratio_of_loss_db(b)).epsilon(1e-12));
      CHECK(std::norm(phase_shifter(0.4, a) * phase_shifter(0.1, b)) ==
            Approx(std::pow(10.0, -(a + b) / 10)).epsilon(1e-12));
    }
}

TEST_CASE("constants: the exact values of the SI of 2019, and what follows from them") {
  CHECK(constants::speed_of_light_m_per_s == 299792458.0);
  CHECK(constants::planck_j_s == 6.62607015e-34);
  CHECK(constants::elementary_charge_c == 1.602176634e-19);
  CHECK(constants::boltzmann_j_per_k == 1.380649e-23);
  CHECK(constants::pi == pi);
  // CODATA 2018: thermal voltage per kelvin 8.617333262e-5 eV/K; photon of 1550 nm 0.799898 eV
  CHECK(constants::boltzmann_j_per_k / constants::elementary_charge_c == Approx(8.617333262e-5).epsilon(1e-9));
  CHECK(constants::planck_j_s * constants::speed_of_light_m_per_s / 1550e-9 / constants::elementary_charge_c ==
        Approx(0.7998979).epsilon(1e-6));
}

// fails when the digit is encoded in the intensity
TEST_CASE("PAM4: the field, not the power, is linear in the digit") {
  const double full = 90e-6;
  for (const int digit : {0, 1, 2, 3}) {
    CAPTURE(digit);
    const double field = pam4_field_sqrt_w(digit, full);
    CHECK(field * field == Approx(digit * digit * 10e-6).epsilon(1e-14));
  }
  CHECK(pam4_field_sqrt_w(-1.5, full) == Approx(-std::sqrt(full) / 2).epsilon(1e-14));
}

TEST_CASE("FieldBatch: a complex matrix in two planes, words side by side in memory") {
  Matrix fields(2, 3);
  fields << Complex(1, 2), Complex(0, 1), 3, Complex(-1, 0), Complex(2, -2), Complex(0, 4);
  const FieldBatch batch(fields);
  CHECK(batch.ports() == 2);
  CHECK(batch.words() == 3);
  CHECK(batch.complex() == fields);
  CHECK(&batch.re(0, 1) == &batch.re(0, 0) + 1);
  CHECK(batch.power_w() == Eigen::RowVector3d(6, 9, 25));
}
