// Laser: intensity noise, Wiener phase, one and two lasers (row 16 of `optinc validate`).

#include "physics/devices/laser.hpp"

#include <cmath>
#include <functional>
#include <vector>

#include "physics/devices/power_divider.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;
using namespace optinc::testing;

namespace {

constexpr double two_pi = 6.283185307179586;

/// Checks that the sample variance of `draw()`, normal with zero mean, is the expected one at 5 sigma.
void check_variance(double expected, int n, const std::function<double()>& draw) {
  double m2 = 0;
  for (int k = 0; k < n; ++k) m2 += std::pow(draw(), 2) / n;
  CAPTURE(n, m2, expected);
  CHECK(std::abs(m2 / expected - 1) < 5 * std::sqrt(2.0 / n));
}

}  // namespace

// Fails when 2 pi is missing, or when only one laser's linewidth counts
TEST_CASE("laser: phase variances in closed form") {
  CHECK(phase_walk_variance_rad2(100e3, 1e-6) == Approx(0.6283185307179586).epsilon(1e-14));
  CHECK(phase_walk_variance_rad2(100e3, -1e-6) == phase_walk_variance_rad2(100e3, 1e-6));
  CHECK(self_heterodyne_phase_variance_rad2(1e6, 5e-9) == Approx(two_pi * 5e-3).epsilon(1e-14));
}

// Fails when light beyond the seed's power is billed at the laser's efficiency, or the seed before boosters not
// at all
TEST_CASE("laser: light beyond the seed's power comes from boosters behind it") {
  LaserSettings laser{.power_w = 20e-3, .wall_plug_efficiency = 0.2};
  CHECK(light_supply(laser, 2.0).electrical_w == 10.0);  // any light from one laser
  CHECK(light_supply(laser, 2.0).boosters == 0);
  laser.booster_w = 0.5;
  laser.booster_efficiency = 0.05;
  CHECK(light_supply(laser, 2.0).electrical_w == Approx(40.1).epsilon(1e-14));
  CHECK(light_supply(laser, 2.0).boosters == 4);
  CHECK(light_supply(laser, 2.01).boosters == 5);
  CHECK(light_supply(laser, 20e-3).electrical_w == Approx(0.1).epsilon(1e-14));
  CHECK(light_supply(laser, 20e-3).boosters == 0);
}

// Fails when the step's rms is 2 pi Dnu dt, or the walk is not summed up
TEST_CASE("MC: row 16: Wiener phase, its own delayed copy and a second laser, 20000 walks") {
  const std::uint64_t seed = 1611;
  CAPTURE(seed);
  const double linewidth_hz = 2e6, step_s = 1e-9;
  const int n = 20000;
  Stream stream = test_stream(seed);
  std::vector<double> walk(41), other(41);
  const auto draw = [&] { phase_walk_path_rad(linewidth_hz, step_s, walk, stream); };
  check_variance(two_pi * 2e6 * 40e-9, n, [&] { return draw(), walk[40]; });
  check_variance(two_pi * 2e6 * 1e-9, n, [&] { return draw(), walk[7] - walk[6]; });
  // phase to its copy delayed by 10 steps, and the change of that within 5 and within 25 steps
  const auto beat = [&](std::size_t k) { return walk[k] - walk[k - 10]; };
  check_variance(two_pi * 2e6 * 10e-9, n, [&] { return draw(), beat(30); });
  check_variance(2 * two_pi * 2e6 * 5e-9, n, [&] { return draw(), beat(15) - beat(10); });
  check_variance(2 * two_pi * 2e6 * 10e-9, n, [&] { return draw(), beat(35) - beat(10); });
  check_variance(two_pi * (2e6 + 5e6) * 40e-9, n, [&] {
    draw();
    phase_walk_path_rad(5e6, step_s, other, stream);
    return walk[40] - other[40];
  });
}

TEST_CASE("laser: impossible ones are refused by name, odd ones are reported") {
  CHECK_NOTHROW(validate_laser({}));
  CHECK(laser_warnings({}).empty());
  const auto with = [](double LaserSettings::*field, double value) {
    LaserSettings s;
    s.*field = value;
    return s;
  };
  const auto refused = [&](double LaserSettings::*field, double value, const char* name) {
    check_message(refusal([&] { validate_laser(with(field, value)); }), {name});
  };
  refused(&LaserSettings::power_w, 0.0, "power_w");
  refused(&LaserSettings::rin_db_per_hz, 150.0, "rin_db_per_hz");
  refused(&LaserSettings::wall_plug_efficiency, 1.5, "wall_plug_efficiency");
  refused(&LaserSettings::linewidth_hz, -1.0, "linewidth_hz");
  refused(&LaserSettings::wavelength_m, std::nan(""), "wavelength_m");
  CHECK(laser_warnings(with(&LaserSettings::power_w, 0.2)).size() == 1);
  CHECK(laser_warnings(with(&LaserSettings::rin_db_per_hz, -100)).size() == 1);
  CHECK(laser_warnings(with(&LaserSettings::linewidth_hz, 20e6)).size() == 1);
}
