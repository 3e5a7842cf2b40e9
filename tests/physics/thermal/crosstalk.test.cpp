// Crosstalk between heaters: the laws by hand, the cells against all pairs, and what is refused.

#include "physics/thermal/crosstalk.hpp"

#include <cmath>
#include <limits>

#include "physics/thermal/phase_response.hpp"

#include "tests/physics/thermal/lattice.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;
using namespace optinc::testing;

namespace {

using constants::pi;

HeaterArray scattered(int count, std::uint64_t seed) {
  Stream s = test_stream(seed);
  const auto place = [&] { return 2e-3 * s.uniform(); };
  const Vector x = Vector::NullaryExpr(count, place), y = Vector::NullaryExpr(count, place);
  HeaterArray h = uniform_heaters(x, y);
  for (double& r : h.resistance_k_per_w) r *= 0.5 + s.uniform();
  return h;
}

}  // namespace

// fails when a law loses a factor (2 pi of half space or sheet), or the exponential its square root of both
// resistances
TEST_CASE("crosstalk laws: numbers by hand") {
  Crosstalk c;
  CHECK(mutual_resistance_k_per_w(c, 50e-6, 2822, 2822) == Approx(2822 * 0.05 * std::exp(-1.0)).epsilon(1e-14));
  CHECK(mutual_resistance_k_per_w(c, 50e-6, 1000, 4000) == Approx(2000 * 0.05 * std::exp(-1.0)).epsilon(1e-14));
  CHECK(mutual_resistance_k_per_w(c, 401e-6, 2822, 2822) == 0.0);
  c.law = value_of_name<CrosstalkLaw>("half-space");  // 1 / (2 pi 148 W/(m K) 50 um)
  CHECK(mutual_resistance_k_per_w(c, 50e-6, 1, 2) == Approx(21.5073).epsilon(1e-5));
  c.law = value_of_name<CrosstalkLaw>("sheet");  // ln(20) / (2 pi 148 W/(m K) 0.7 mm)
  CHECK(mutual_resistance_k_per_w(c, 50e-6, 1, 2) == Approx(4.602178).epsilon(1e-6));
  c.sheet_radius_m = 100e-6;
  CHECK(mutual_resistance_k_per_w(c, 101e-6, 1, 2) == 0.0);
  c.law = value_of_name<CrosstalkLaw>("none");
  CHECK(mutual_resistance_k_per_w(c, 50e-6, 1, 2) == 0.0);
  check_message(refusal([] { value_of_name<CrosstalkLaw>("exponental"); }),
                {"exponental", "Did you mean \"exponential\"?"});
}

// fails when a neighbouring cell is forgotten, or when the reference matrix is handed back by columns
TEST_CASE("crosstalk matrix: cells find what all pairs find, reciprocal, references by rows") {
  const std::uint64_t seed = 11;
  CAPTURE(seed);
  const HeaterArray h = scattered(500, seed);
  Stream s = test_stream(seed, 1);
  const auto place = [&] { return -0.2e-3 + 2.4e-3 * s.uniform(); };  // some outside the heaters' box
  const Vector rx = Vector::NullaryExpr(500, place), ry = Vector::NullaryExpr(500, place);
  for (const char* law : {"none", "exponential", "half-space", "sheet"}) {
    CAPTURE(law);
    Crosstalk c;
    c.law = value_of_name<CrosstalkLaw>(law);
    c.cutoff_m = 130e-6;
    c.sheet_radius_m = 120e-6;
    const Eigen::MatrixXd found = thermal_resistance_matrix(h, c),
                          seen = reference_resistance_matrix(h, c, rx, ry);
    double worst = 0, worst_reference = 0;
    int pairs = 0;
    for (int i = 0; i < 500; ++i)
      for (int j = 0; j < 500; ++j) {
        const double ri = h.resistance_k_per_w[i], rj = h.resistance_k_per_w[j];
        const auto law_at = [&](double d) { return mutual_resistance_k_per_w(c, d, ri, rj); };
        const double expected = i == j ? ri : law_at(std::hypot(h.x_m[i] - h.x_m[j], h.y_m[i] - h.y_m[j]));
        worst = std::max(worst, std::abs(found(i, j) - expected));
        const double reference = law_at(std::hypot(rx[i] - h.x_m[j], ry[i] - h.y_m[j]));
        worst_reference = std::max(worst_reference, std::abs(seen(i, j) - reference));
        if (i != j && expected != 0) ++pairs;
      }
    CHECK(worst < 1e-10);  // of 2822 K/W
    CHECK(worst_reference < 1e-10);
    CHECK((found - found.transpose()).cwiseAbs().maxCoeff() < 1e-10);
    CHECK((pairs > 500) == (c.law != CrosstalkLaw::none));
  }
}

// fails when Xi_ii is not pi / P_pi, or the reference arm's own heater is left out of its field
TEST_CASE("phase response: pi at P_pi, reference arms take their share off") {
  HeaterArray h = lattice(2, 1, 50e-6, 50e-6);
  h.p_pi_w[1] = 10e-3;
  Crosstalk c;
  const double x = 0.05 * std::exp(-1.0);
  const PhaseResponse alone = phase_response(h, c);
  const Vector first = heater_phases(alone, Vector::Unit(2, 0) * h.p_pi_w[0]);
  CHECK(first[0] == Approx(pi).epsilon(1e-13));
  CHECK(first[1] ==
        Approx(pi * x * h.p_pi_w[0] / h.p_pi_w[1]).epsilon(1e-12));  // rise / rise for pi of that heater
  const Vector rx = h.x_m, ry = h.y_m.array() + 25e-6;
  const Vector pair = heater_phases(phase_response(h, c, rx, ry), Vector::Unit(2, 0) * h.p_pi_w[0]);
  CHECK(pair[0] == Approx(pi * (1 - 0.05 * std::exp(-0.5))).epsilon(1e-12));
  const double x_reference = 0.05 * std::exp(-std::hypot(50.0, 25.0) / 50);
  CHECK(pair[1] == Approx(pi * (x - x_reference) * h.p_pi_w[0] / h.p_pi_w[1]).epsilon(1e-12));
}

// fails when the definiteness test is left out, or the large path trusts the sums alone
TEST_CASE("crosstalk matrix: what cannot be is refused by name, value and range") {
  const HeaterArray near = lattice(12, 12, 10e-6, 10e-6);
  Crosstalk c;
  CHECK_NOTHROW(thermal_resistance_matrix(near, c));  // sums of x(d) above 1, but an exponential is definite
  c.x0 = 0.9;
  CHECK_NOTHROW(thermal_resistance_matrix(near, c));
  c.cutoff_m = 30e-6;  // torn off
  check_message(refusal([&] { thermal_resistance_matrix(near, c); }),
                {"x0 = 0.9", "cutoff_m = 3e-05", "144 heaters", "not positive definite", "must be > 0"});
  const HeaterArray many = lattice(60, 60, 10e-6, 10e-6);  // beyond the certain ones
  check_message(refusal([&] { thermal_resistance_matrix(many, c); }),
                {"3600 heaters", "not positive definite"});
  c = {};
  c.cutoff_m = 200e-6;
  CHECK_NOTHROW(thermal_resistance_matrix(many, c));
  c.law = CrosstalkLaw::half_space;
  c.conductivity_w_per_m_k = 1.4;  // all oxide: a heater would warm its neighbour more than itself
  check_message(refusal([&] { thermal_resistance_matrix(near, c); }),
                {"half-space", "conductivity_w_per_m_k = 1.4"});
  c = {};
  c.x0 = 1.2;
  check_message(refusal([&] { thermal_resistance_matrix(near, c); }), {"x0 = 1.2", "0 <= x0 <= 1"});
  c = {};
  c.cutoff_m = 0;
  check_message(refusal([&] { thermal_resistance_matrix(near, c); }), {"cutoff_m = 0"});
  HeaterArray twice = near;
  twice.x_m[1] = twice.x_m[0];
  twice.y_m[1] = twice.y_m[0];
  check_message(refusal([&] { thermal_resistance_matrix(twice, {}); }), {"on the spot of another"});
  HeaterArray wrong = near;
  wrong.p_pi_w[3] = 0;
  check_message(refusal([&] { thermal_resistance_matrix(wrong, {}); }), {"p_pi_w = 0"});
  wrong = near;
  wrong.y_m.conservativeResize(3);
  check_message(refusal([&] { thermal_resistance_matrix(wrong, {}); }), {"y_m has 3 values for 144"});
  check_message(refusal([&] { reference_resistance_matrix(near, {}, near.x_m.head(2), near.y_m); }),
                {"2 x and 144 y"});
}

// fails when memory has no end: 4097^2 pairs are just above 2^24 entries of 12 bytes
TEST_CASE("crosstalk matrix: a cut-off that joins too many heaters is refused before it fills the memory") {
  const HeaterArray many = lattice(4097, 1, 1e-6, 1e-6);
  Crosstalk c;
  c.x0 = 1e-6;
  c.cutoff_m = 1e-2;
  check_message(refusal([&] { thermal_resistance_matrix(many, c); }),
                {"cutoff_m = 0.01", "16777216", "Shorten cutoff_m", "d0_m"});
}

// fails when a place is counted with another resistance than asked for, or one far away sees heat
TEST_CASE("crosstalk matrix: any number of places, those at infinity without heat") {
  const HeaterArray h = scattered(40, 12);
  const double far = std::numeric_limits<double>::infinity();
  const Crosstalk c;
  Vector x(3), y(3);
  x << 1e-3, far, 2e-4;
  y << 1e-3, far, 3e-4;
  const Eigen::MatrixXd found = place_resistance_matrix(h, c, x, y, 1234.0);
  REQUIRE(found.rows() == 3);
  for (int j = 0; j < 40; ++j) {
    for (const int i : {0, 2}) {
      const double d = std::hypot(x[i] - h.x_m[j], y[i] - h.y_m[j]);
      CHECK(std::abs(found(i, j) - mutual_resistance_k_per_w(c, d, 1234.0, h.resistance_k_per_w[j])) < 1e-10);
    }
    CHECK(found(1, j) == 0.0);
  }
  y[1] = 0.0;
  check_message(refusal([&] { place_resistance_matrix(h, c, x, y, 1.0); }), {"place 1", "(inf, 0)"});
  const Vector all_far = Vector::Constant(40, far);
  const PhaseResponse alone = phase_response(h, c), free = phase_response(h, c, all_far, all_far);
  CHECK((Eigen::MatrixXd(alone.resistance_k_per_w) - Eigen::MatrixXd(free.resistance_k_per_w)).isZero(0));
}
