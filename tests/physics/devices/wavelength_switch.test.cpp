#include "physics/devices/wavelength_switch.hpp"

#include <cmath>
#include <vector>

#include "physics/core/check.hpp"
#include "physics/core/units.hpp"
#include "physics/devices/amplified_path.hpp"
#include "physics/devices/pam_decision.hpp"

#include "tests/support/catch.hpp"

using namespace optinc;

// fails when a pass narrows by n^(-1/m)
TEST_CASE("n passbands in a row are narrower by n^(-1/(2 m)), at half their power") {
  for (const double m : {1.0, 2.0, 3.5, 6.0})
    for (const double n : {1.0, 2.0, 7.0, 20.0}) {
      WavelengthSwitchSettings s;
      s.order = m;
      CHECK(cascaded_bandwidth_hz(s, n) ==
            Approx(s.bandwidth_hz * std::pow(n, -1.0 / (2.0 * m))).epsilon(1e-12));
      CHECK(passband(s, cascaded_bandwidth_hz(s, n) / 2, n) == Approx(0.5).epsilon(1e-12));
      CHECK(passband(s, 0.0, n) == 1.0);
    }
}

TEST_CASE("what narrow passbands take from a flat spectrum is the mean of their transmission") {
  for (const double rate : {20e9, 53.125e9, 90e9})
    for (const double n : {1.0, 4.0, 16.0}) {
      WavelengthSwitchSettings s;
      const int steps = 200000;
      double sum = 0.0;
      for (int i = 0; i < steps; ++i) sum += passband(s, (i + 0.5) / steps * rate / 2, n);
      CHECK(narrowing_loss_db(s, n, rate) == Approx(-10 * std::log10(sum / steps)).epsilon(1e-6));
    }
  CHECK(narrowing_loss_db({}, 0.0, 53e9) == 0.0);
}

// fails when the noise of one polarisation alone is counted, or the gain forgotten
TEST_CASE("a chain of n equal spans has the OSNR of one less 10 log10 n, 58 - NF - loss + launch of one") {
  const double loss_db = 22.0, figure_db = 5.0, launch_w = 1e-3;
  std::vector<NoisyStage> chain;
  double one_db = 0.0;
  for (int n = 1; n <= 40; ++n) {
    chain.push_back(loss_stage(loss_db));
    chain.push_back({std::pow(10, loss_db / 10), std::pow(10, figure_db / 10)});
    const double osnr = chain_osnr_db(chain, launch_w);
    if (n == 1) one_db = osnr;
    CHECK(osnr == Approx(one_db - 10 * std::log10(n)).epsilon(1e-9));
    const double nu = constants::speed_of_light_m_per_s / 1550e-9;
    const double noise_w =
        n * constants::planck_j_s * nu * (std::pow(10, (loss_db + figure_db) / 10) - 1) * 12.5e9;
    CHECK(osnr == Approx(10 * std::log10(launch_w / noise_w)).epsilon(1e-9));
  }
  CHECK(one_db == Approx(58.0 - figure_db - loss_db).margin(0.1));
}

// OOK: the zero has the noise beating with itself alone, so q = 2 P/(s_1 + s_0), Q(q) of the bits wrong
TEST_CASE("beat-limited error rates: closed form of two levels, and the tolerated noise gives back its rate") {
  for (const double r : {0.003, 0.01, 0.03}) {
    const double q = 2.0 / (std::sqrt(4.0 * r + r * r) + r);
    CHECK(beat_limited_bit_error_rate(2, r) == Approx(normal_tail(q)).epsilon(1e-9));
  }
  for (const int levels : {2, 4, 8}) {
    const double r = tolerated_noise_to_signal(levels, 2.4e-4);
    CHECK(beat_limited_bit_error_rate(levels, r) == Approx(2.4e-4).epsilon(1e-6));
  }
  // the receiver's noise alone is the sensitivity's, and beside light that beats its variance adds
  for (const int levels : {2, 4, 8}) {
    const double alone = tolerated_receiver_noise(levels, 2.4e-4, 0.0),
                 q = pam_q_of_symbol_error_rate(levels, 2.4e-4 * std::log2(levels));
    CHECK(alone == Approx(1.0 / ((levels - 1) * q)).epsilon(1e-9));
    const double most = tolerated_noise_to_signal(levels, 2.4e-4),
                 both = tolerated_receiver_noise(levels, 2.4e-4, most / 2);
    CHECK(beat_limited_bit_error_rate(levels, most / 2, both) == Approx(2.4e-4).epsilon(1e-6));
    CHECK(both < alone);
    CHECK(std::isnan(tolerated_receiver_noise(levels, 2.4e-4, 1.01 * most)));
  }
  for (const double r : {0.003, 0.01}) {
    const double n = 0.1, q = 2.0 / (std::sqrt(4.0 * r + r * r + n * n) + std::sqrt(r * r + n * n));
    CHECK(beat_limited_bit_error_rate(2, r, n) == Approx(normal_tail(q)).epsilon(1e-9));
  }
  CHECK(tolerated_noise_to_signal(4, 2.4e-4) < tolerated_noise_to_signal(2, 2.4e-4) / 5);
  CHECK(noise_to_signal(20.0, 25e9) == Approx(0.01).epsilon(1e-12));
}

TEST_CASE("crosstalk adds up by ports and passes, and what cannot be is refused by name") {
  WavelengthSwitchSettings s;
  CHECK(crosstalk_ratio(s, 2.0) == Approx(2 * 19 * std::pow(10, -3.5)).epsilon(1e-12));
  s.crosstalk_db = 3.0;
  CHECK_THROWS_WITH(validate_wavelength_switch(s), ContainsSubstring("crosstalk_db"));
  s = {};
  s.order = 0.5;
  CHECK_THROWS_WITH(validate_wavelength_switch(s), ContainsSubstring("order"));
  CHECK_THROWS_WITH(chain_osnr_db(std::vector<NoisyStage>{loss_stage(3.0)}, 1e-3),
                    ContainsSubstring("amplifier"));
}
