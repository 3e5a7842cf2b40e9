// Powers for wanted phases: against dense LU and by hand, whole turns, limits, and a die of 8e4 heaters.

#include "physics/thermal/crosstalk_inversion.hpp"

#include <cmath>

#include <Eigen/LU>

#include "tests/physics/thermal/lattice.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;
using namespace optinc::testing;

namespace {

using constants::pi;

}  // namespace

// P = Xi^-1 phi. Fails when the refinement is left out, when targets are not wrapped, or when Xi is
// transposed (references make it unsymmetric)
TEST_CASE("crosstalk inversion: phases reached to 1e-12 rad, powers those of a dense LU") {
  const std::uint64_t seed = 5;
  CAPTURE(seed);
  const HeaterArray h = lattice(20, 20, 100e-6, 50e-6);
  for (const bool references : {false, true}) {
    CAPTURE(references);
    const PhaseResponse r =
        references ? phase_response(h, {}, h.x_m, Vector(h.y_m.array() + 25e-6)) : phase_response(h, {});
    Stream s = test_stream(seed, references);
    const Vector wanted = (uniform_phases(400, s).array() * 3) - 6.0;  // not wrapped
    const CrosstalkInversion found = invert_crosstalk(r, wanted);
    CHECK(found.feasible());
    CHECK(found.residual_rad < 1e-12);
    CHECK(found.power_w.minCoeff() >= 0);
    CHECK(found.turned.empty() == references);  // references see nearly as much as their arms
    CHECK(found.turned.size() < 60);
    for (int i = 0; i < 400; ++i)
      REQUIRE(std::abs(std::remainder(found.phase_rad[i] - wanted[i], 2 * pi)) < 1e-12);
    for (const auto i : found.turned) CHECK(found.target_rad[i] >= 2 * pi);
    const Eigen::MatrixXd xi = r.rad_per_k.asDiagonal() * Eigen::MatrixXd(r.resistance_k_per_w);
    const Vector dense = xi.partialPivLu().solve(found.target_rad);
    CHECK((dense - found.power_w).cwiseAbs().maxCoeff() < 1e-14);  // of 50 mW
    CHECK(found.total_w == Approx(dense.sum()).epsilon(1e-13));
    CHECK(found.die_k == Approx(0.5 * dense.sum()).epsilon(1e-13));
    CHECK(static_phase_errors_rad(r, found.power_w, wanted).cwiseAbs().maxCoeff() < 1e-12);
  }
}

// fails when crosstalk is left out of a heater's rise, and when the turn is not added
TEST_CASE("crosstalk inversion: two heaters by hand") {
  const HeaterArray h = lattice(1, 2, 50e-6, 50e-6);
  const PhaseResponse r = phase_response(h, {});
  const double x = 0.05 * std::exp(-1.0), per_w = pi / 24.77e-3;
  const auto power = [&](double own, double other) { return (own - x * other) / (per_w * (1 - x * x)); };
  const CrosstalkInversion plain = invert_crosstalk(r, Vector{{1.0, 3.0}});
  CHECK(plain.turned.empty());
  CHECK(plain.power_w[0] == Approx(power(1.0, 3.0)).epsilon(1e-13));
  CHECK(plain.power_w[1] == Approx(power(3.0, 1.0)).epsilon(1e-13));
  const CrosstalkInversion turned = invert_crosstalk(r, Vector{{0.01, 3.0}});  // the neighbour gives 0.055 rad
  REQUIRE(turned.turned == std::vector<Eigen::Index>{0});
  CHECK(turned.power_w[0] == Approx(power(0.01 + 2 * pi, 3.0)).epsilon(1e-13));
  CHECK(turned.power_w[1] == Approx(power(3.0, 0.01 + 2 * pi)).epsilon(1e-13));
  // without compensation the neighbours' heat stays as an error
  const Vector wanted{{0.01, 3.0}}, simple = wanted / per_w;
  const Vector errors = static_phase_errors_rad(r, simple, wanted);
  CHECK(errors[0] == Approx(3.0 * x).epsilon(1e-11));
  CHECK(errors[1] == Approx(0.01 * x).epsilon(1e-9));
}

// fails when a clipped heater is not held in the second solve (the other phase is then off), or is not named
TEST_CASE("crosstalk inversion: limits clip by name and the others still reach their phases") {
  const HeaterArray h = lattice(1, 3, 50e-6, 50e-6);
  const PhaseResponse r = phase_response(h, {});
  const double limit = 1.9 * 24.77e-3;
  const CrosstalkInversion low = invert_crosstalk(r, Vector{{0.01, 3.0, 2.0}}, {limit});
  CHECK(low.turned.empty());
  REQUIRE(low.clipped_at_zero == std::vector<Eigen::Index>{0});
  CHECK(low.clipped_at_limit.empty());
  CHECK_FALSE(low.feasible());
  CHECK(low.power_w[0] == 0.0);
  CHECK(std::abs(low.phase_rad[1] - 3.0) < 1e-12);
  CHECK(std::abs(low.phase_rad[2] - 2.0) < 1e-12);
  CHECK(low.residual_rad == Approx(low.phase_rad[0] - 0.01).epsilon(1e-12));
  CHECK(low.residual_rad > 0.04);
  const CrosstalkInversion high = invert_crosstalk(r, Vector{{6.2, 3.0, 2.0}}, {limit});
  REQUIRE(high.clipped_at_limit == std::vector<Eigen::Index>{0});
  CHECK(high.power_w[0] == Approx(limit).epsilon(1e-14));
  CHECK(std::abs(high.phase_rad[1] - 3.0) < 1e-12);
  CHECK(std::abs(high.phase_rad[2] - 2.0) < 1e-12);
  const CrosstalkInversion starved = invert_crosstalk(r, Vector{{6.2, 3.0, 2.0}}, {1.0, 10e-3});
  CHECK(starved.total_w == Approx(10e-3).epsilon(1e-13));
  CHECK(starved.power_scale < 0.2);
  CHECK_FALSE(starved.feasible());
}

TEST_CASE("crosstalk inversion: what is refused") {
  const PhaseResponse r = phase_response(lattice(2, 2, 50e-6, 50e-6), {});
  check_message(refusal([&] { invert_crosstalk(r, Vector::Zero(3)); }), {"3 phases for 4 heaters"});
  check_message(refusal([&] { invert_crosstalk(r, Vector::Constant(4, NAN)); }), {"not finite"});
  check_message(refusal([&] { invert_crosstalk(r, Vector::Zero(4), {0.0}); }), {"0 W per heater"});
  check_message(refusal([&] { heater_phases(r, Vector::Zero(3)); }), {"3 powers for 4 heaters"});
}

// fails when the matrix is dense or found pair by pair (memory or minutes)
TEST_CASE("a full die: 8e4 heaters compensated") {
  const std::uint64_t seed = 6;
  CAPTURE(seed);
  const HeaterArray h = lattice(200, 400, 100e-6, 50e-6);
  Stream s = test_stream(seed);
  const Vector wanted = uniform_phases(h.count(), s);
  const PhaseResponse r = phase_response(h, {});
  CHECK(r.resistance_k_per_w.nonZeros() < 9'000'000);
  const CrosstalkInversion found = invert_crosstalk(r, wanted);
  CHECK(found.feasible());
  CHECK(found.residual_rad < 1e-12);
  CHECK(found.total_w > 1500);  // about 8e4 P_pi: no die carries that
  const Vector errors = static_phase_errors_rad(r, found.power_w, wanted);
  CHECK(errors.cwiseAbs().maxCoeff() < 1e-11);
}

// Worked out by hand. Fails when rows and columns of the crosstalk, or the constants of giver and receiver, are
// exchanged.
TEST_CASE("heaters whose constants and crosstalk were measured") {
  Eigen::MatrixXd crosstalk(2, 2);
  crosstalk << 0.0, 0.1, 0.2, 0.0;
  const Vector p_pi_w = Eigen::Vector2d(10e-3, 20e-3), power_w = Eigen::Vector2d(5e-3, 5e-3);
  const PhaseResponse measured = measured_response(p_pi_w, crosstalk);
  const double a = pi / 2, b = pi / 4;  // each of its own
  const Vector phases = heater_phases(measured, power_w);
  CHECK(std::abs(phases[0] - (a + 0.1 * b)) < 1e-12);
  CHECK(std::abs(phases[1] - (b + 0.2 * a)) < 1e-12);
  CHECK((invert_crosstalk(measured, phases).power_w - power_w).cwiseAbs().maxCoeff() < 1e-14);
  CHECK((heater_phases(measured_response(p_pi_w, {}), power_w) - Eigen::Vector2d(a, b)).norm() < 1e-12);
  CHECK_THROWS_WITH(measured_response(Eigen::Vector2d(1e-3, 0.0), {}),
                    ContainsSubstring("power for pi of 0 W"));
  CHECK_THROWS_WITH(measured_response(Eigen::Vector3d::Ones(), crosstalk),
                    ContainsSubstring("2 x 2 for 3 heaters"));
  crosstalk(1, 1) = 1.0;
  CHECK_THROWS_WITH(measured_response(p_pi_w, crosstalk), ContainsSubstring("from a heater to itself"));
  crosstalk(1, 1) = std::nan("");
  CHECK_THROWS_WITH(measured_response(p_pi_w, crosstalk), ContainsSubstring("not finite"));
}
