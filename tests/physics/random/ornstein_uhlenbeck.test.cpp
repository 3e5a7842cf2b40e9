// The Ornstein-Uhlenbeck process (row 16): moments typed here.

#include "physics/random/ornstein_uhlenbeck.hpp"

#include <cmath>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;
using namespace optinc::testing;

// Fails when the update is Euler's, X (1 - dt/tau): one long step must be as good as many short ones
TEST_CASE("MC: row 16: one step of any length has the exact mean and variance, 200000 draws") {
  const std::uint64_t seed = 1602;
  CAPTURE(seed);
  constexpr int n = 200000;
  const OrnsteinUhlenbeck process{1.5, 2.0};
  Stream stream = test_stream(seed);
  for (const double elapsed : {0.1, 2.0, 30.0}) {
    CAPTURE(elapsed);
    double m1 = 0, m2 = 0;
    for (int k = 0; k < n; ++k) {
      const double x = ornstein_uhlenbeck_step(process, 4.0, elapsed, stream);
      m1 += x / n;
      m2 += x * x / n;
    }
    const double variance = 2.25 * (1 - std::exp(-elapsed));
    CHECK(std::abs(m1 - 4.0 * std::exp(-elapsed / 2)) < 5 * std::sqrt(variance / n));
    CHECK(std::abs((m2 - m1 * m1) / variance - 1) < 5 * std::sqrt(2.0 / n));
  }
}

// Fails when the path does not start in the stationary state, or draws other numbers than step by step
TEST_CASE("Ornstein-Uhlenbeck: a path is its start and its steps, the same numbers") {
  const OrnsteinUhlenbeck process{0.3, 1e-3};
  std::vector<double> path(50);
  Stream a = test_stream(1603), b = test_stream(1603);
  ornstein_uhlenbeck_path(process, 2e-4, path, a);
  double x = ornstein_uhlenbeck_start(process, b);
  for (std::size_t k = 0; k < path.size(); ++k) {
    if (k > 0) x = ornstein_uhlenbeck_step(process, x, 2e-4, b);
    CHECK(path[k] == Approx(x).epsilon(1e-13).margin(1e-15));
  }
  CHECK(a.bits() == b.bits());
}

TEST_CASE("Ornstein-Uhlenbeck: no time means no change, no noise plain decay, impossible ones are refused") {
  Stream stream = test_stream(1604);
  CHECK(ornstein_uhlenbeck_step({1.0, 1e-3}, 0.7, 0.0, stream) == 0.7);
  CHECK(ornstein_uhlenbeck_step({0.0, 1e-3}, 1.0, 1e-3, stream) == Approx(0.36787944117144233).epsilon(1e-14));
  CHECK(ornstein_uhlenbeck_correlation({1.0, 2.0}, 6.0) == Approx(0.049787068367863944).epsilon(1e-14));
  std::vector<double> path(3);
  check_message(refusal([&] { ornstein_uhlenbeck_path({-1.0, 1.0}, 1.0, path, stream); }), {"rms = -1"});
  check_message(refusal([&] {
                  ornstein_uhlenbeck_path({1.0, 0.0}, 1.0, path, stream);
                }),
                {"correlation_time_s"});
  check_message(refusal([&] { ornstein_uhlenbeck_path({1.0, 1.0}, -1.0, path, stream); }), {"step_s = -1"});
}
