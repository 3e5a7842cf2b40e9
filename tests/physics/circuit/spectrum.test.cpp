#include "physics/circuit/spectrum.hpp"

#include <cmath>

#include "physics/circuit/models.hpp"

#include "tests/support/catch.hpp"

using namespace optinc;

// The largest singular value of [[1, 1], [0, 1]] is the golden ratio. Fails when the largest element is taken,
// or the root is forgotten.
TEST_CASE("the largest output is that of any shape of the input") {
  Matrix s(2, 2);
  s << 1, 1, 0, 1;
  const double golden = (1 + std::sqrt(5.0)) / 2;
  CHECK(std::abs(largest_output(s) - golden * golden) < 1e-14);
  CHECK(std::abs(largest_output(Complex(0, 1) * Matrix::Identity(3, 3)) - 1) < 1e-14);
}

// A ring of 0.051 pm on a grid of 10 pm shows a quarter of a decibel of its 15 dB (public reports of
// simulators). Fails when a narrow resonance passes for noise, or a resolved one for a narrow one.
TEST_CASE("a resonance narrower than the grid is foretold by none of its neighbours") {
  const auto power = [](double eta_rad, double loss_db_per_cm, int points) {
    std::vector<double> wavelengths;
    for (int i = 0; i < points; ++i) wavelengths.push_back(1.54e-6 + 20e-9 * i / (points - 1));
    const Matrix s = model_scattering(circuit_model("ring"),
                                      {{"length_m", 1e-3},
                                       {"bus_eta_rad", eta_rad},
                                       {"loss_db_per_cm", loss_db_per_cm},
                                       {"bus_excess_loss_db", 0.0}},
                                      wavelengths);
    return Eigen::VectorXd(s.row(1).cwiseAbs2().transpose());
  };
  CHECK(least_foretold(power(0.02, 0.02, 20001)).off > 0.01);  // 0.1 pm wide
  CHECK(least_foretold(power(0.5, 5.0, 20001)).off < 1e-3);    // 30 pm wide
  CHECK(least_foretold(Eigen::VectorXd::LinSpaced(9, 0, 1)).off < 1e-15);
  Eigen::VectorXd cubic(7);
  for (int i = 0; i < 7; ++i) cubic[i] = 1 - i + 2 * i * i - 0.25 * i * i * i;
  CHECK(least_foretold(cubic).off < 1e-13);
  cubic[4] += 0.5;
  CHECK(least_foretold(cubic).at == 4);
  CHECK(std::abs(least_foretold(cubic).off - 0.5) < 1e-13);
  CHECK(least_foretold(Eigen::VectorXd::Zero(4)).off == 0);
}

// Singular values 1.5, 1, 0.2 and turns: the nearest passive matrix has 1, 1, 0.2 (distance 0.5). Fails when
// the whole is scaled instead, which is passive, too, but farther away.
TEST_CASE("the nearest passive matrix keeps what is passive") {
  const Matrix turn = Eigen::HouseholderQR<Matrix>(Matrix::Random(3, 3)).householderQ();
  const Matrix other = Eigen::HouseholderQR<Matrix>(Matrix::Random(3, 3)).householderQ();
  const Eigen::Vector3d values(1.5, 1.0, 0.2);
  const Matrix s = turn * values.asDiagonal() * other.adjoint();
  const Matrix passive = nearest_passive(s);
  CHECK(largest_output(passive) <= 1 + 1e-12);
  CHECK(std::abs((passive - s).norm() - 0.5) < 1e-12);
  CHECK(nearest_passive(passive / 2) == passive / 2);
}
