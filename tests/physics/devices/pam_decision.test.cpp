// Decisions between levels in Gaussian noise (rows 14 and 19 of `optinc validate`).

#include "physics/devices/pam_decision.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "physics/devices/front_end.hpp"
#include "physics/random/stream.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;
using namespace optinc::testing;

namespace {

/// Part of n equally likely symbols that a receiver takes for another.
double counted_errors(const std::vector<NoisyLevel>& levels, const std::vector<double>& thresholds, int n,
                      Stream& stream) {
  int errors = 0;
  for (int k = 0; k < n; ++k) {
    const auto sent = stream.below(static_cast<std::uint32_t>(levels.size()));
    const double value = levels[sent].mean + levels[sent].rms * stream.normal();
    errors += pam_decision(thresholds, value) != static_cast<int>(sent);
  }
  return static_cast<double>(errors) / n;
}

double five_sigma(double rate, int n) { return 5 * std::sqrt(rate * (1 - rate) / n); }

/// Noise that grows with the level, as that of direct detection does.
std::vector<NoisyLevel> growing() { return {{0.0, 0.05}, {1.0 / 3, 0.06}, {2.0 / 3, 0.07}, {1.0, 0.08}}; }

}  // namespace

// Row 14. Fails when the outer levels are given two neighbours: 2 Q instead of 1.5 Q
TEST_CASE("row 14: PAM4 symbol error rate is (3/2) Q(q) at q = 2, 2.5 and 3") {
  CHECK(pam_symbol_error_rate(4, 2) == Approx(0.03413).epsilon(5e-4));
  CHECK(pam_symbol_error_rate(4, 2.5) == Approx(0.009314).epsilon(5e-4));
  CHECK(pam_symbol_error_rate(4, 3) == Approx(0.002025).epsilon(5e-4));
  CHECK(pam_symbol_error_rate(2, 3) == Approx(0.00134990).epsilon(1e-5));  // Q(3)
  CHECK(gray_bit_error_rate(4, 0.002) == Approx(0.001).epsilon(1e-14));
  for (const int m : {2, 4, 8})
    for (const double rate : {1e-1, 4.8e-4, 1e-12})
      CHECK(pam_symbol_error_rate(m, pam_q_of_symbol_error_rate(m, rate)) == Approx(rate).epsilon(1e-9));
}

// Row 14. (1/4) sum erfc(q_i/sqrt 2), q_i = (1/3)/(s_i + s_{i+1}). Fails when thresholds sit midway
TEST_CASE("MC: row 14: level-dependent noise, thresholds at equal q, 1000000 symbols") {
  const std::uint64_t seed = 1401;
  CAPTURE(seed);
  constexpr int n = 1000000;
  const auto levels = growing();
  const auto thresholds = equal_q_thresholds(levels);
  CHECK(thresholds[0] == Approx((0.05 / 3) / 0.11).epsilon(1e-13));
  CHECK(thresholds[2] == Approx((0.08 * 2 / 3 + 0.07) / 0.15).epsilon(1e-13));
  const double expected = (std::erfc(1 / 0.33 / std::sqrt(2.0)) + std::erfc(1 / 0.39 / std::sqrt(2.0)) +
                           std::erfc(1 / 0.45 / std::sqrt(2.0))) /
                          4;
  CHECK(symbol_error_rate(levels) == Approx(expected).epsilon(1e-12));
  Stream stream = test_stream(seed);
  CHECK(std::abs(counted_errors(levels, thresholds, n, stream) - expected) < five_sigma(expected, n));
  // midway thresholds are worse, and their rate too is what is counted
  const std::vector<double> midway = {1.0 / 6, 0.5, 5.0 / 6};
  CHECK(symbol_error_rate(levels, midway) > 1.05 * expected);
  CHECK(std::abs(counted_errors(levels, midway, n, stream) - symbol_error_rate(levels, midway)) <
        five_sigma(symbol_error_rate(levels, midway), n));
}

TEST_CASE("thresholds: unsorted levels, missing noise and hopeless pairs are refused") {
  const auto refused = [](const std::vector<NoisyLevel>& levels, const char* part) {
    check_message(refusal([&] { equal_q_thresholds(levels); }), {part});
  };
  refused({{0, 1}}, "1 levels");
  refused({{0, 1}, {0, 1}}, "level 1 at 0");
  refused({{0, 0}, {1, 1}}, "rms of a level = 0");
  check_message(refusal([] { symbol_error_rate(growing(), std::vector{0.5}); }), {"1 thresholds between 4"});
  check_message(refusal([] { pam_symbol_error_rate(1, 2); }), {"1 levels"});
  check_message(refusal([] { pam_q_of_symbol_error_rate(4, 0.8); }), {"symbol_error_rate = 0.8"});
  CHECK(pam_decision(std::vector{0.5, 1.5, 2.5}, -3) == 0);
  CHECK(pam_decision(std::vector{0.5, 1.5, 2.5}, 1.0) == 1);
  CHECK(pam_decision(std::vector{0.5, 1.5, 2.5}, 9) == 3);
}

// Row 19. Fails when the amplitude counts one eye instead of three, or q the whole spacing
TEST_CASE("row 19: Patel's receiver needs an OMA of -11.01 dBm, less than the -8.2 dBm measured") {
  const FrontEnd patel = patel_2022_receiver();
  CHECK(pam_q_of_symbol_error_rate(4, 4.8e-4) == Approx(3.414).margin(5e-4));
  const auto dbm = [&](double responsivity) {
    return 10 * std::log10(sensitivity_oma_w(4, 4.8e-4, input_noise_a(patel), responsivity) / 1e-3);
  };
  CHECK(dbm(0.8) == Approx(-11.01).margin(0.05));
  CHECK(dbm(0.6) == Approx(-9.8).margin(0.05));
  CHECK(dbm(1.0) == Approx(-12.0).margin(0.05));
  CHECK(dbm(0.6) < -8.2);  // no model without intersymbol interference may be worse than the chip
  check_message(refusal([] { sensitivity_oma_w(4, 1e-3, 1e-6, 0); }), {"responsivity_a_per_w"});
}
