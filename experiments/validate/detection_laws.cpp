#include <algorithm>
#include <cmath>
#include <numbers>

#include "experiments/validate/laws.hpp"
#include "experiments/validate/measure.hpp"
#include "physics/devices/direct_detection.hpp"
#include "physics/devices/pam_decision.hpp"

// Constants are typed again here: expected values take nothing from the simulator.

namespace optinc {
namespace {

constexpr double responsivity = 0.9, dark_a = 30e-9, density_a = 16.9e-12, bandwidth = 32e9 /* of noise */,
                 rin_db = -130;

/// Equal intensity steps, noise of each level 2 q (R P + I_d) B + i_n^2 B + RIN (R P)^2 B: (1/4) sum_i
/// erfc(q_i / sqrt 2), q_i = R (P_{i+1} - P_i) / (s_i + s_{i+1}).
double level_noise_errors(double outer_w) {
  const auto rms = [=](int level) {
    const double i = responsivity * outer_w * level / 3;
    return std::sqrt(
        (2 * 1.602176634e-19 * (i + dark_a) + density_a * density_a + std::pow(10.0, rin_db / 10) * i * i) *
        bandwidth);
  };
  double errors = 0.0;
  for (int i = 0; i < 3; ++i)
    errors += std::erfc(responsivity * outer_w / 3 / (rms(i) + rms(i + 1)) / std::numbers::sqrt2) / 4;
  return errors;
}

/// Share of a block of digits that a direct receiver reads wrongly.
double direct_errors(double outer_w, const LawTrial& trial) {
  constexpr int symbols = 10000;
  FrontEnd front_end;
  front_end.noise = InputReferredNoise{density_a};
  front_end.bandwidth_hz *= bandwidth / noise_bandwidth_hz(front_end);
  const DirectReceiver receiver = {{responsivity, dark_a}, front_end, {rin_db, 0.0}};
  std::vector<NoisyLevel> levels;
  for (int digit = 0; digit < 4; ++digit)
    levels.push_back({photocurrent_a(receiver.diode, outer_w * digit / 3),
                      std::sqrt(direct_noise_a2(receiver, outer_w * digit / 3).total())});
  const std::vector<double> thresholds = equal_q_thresholds(levels);
  Stream digits = trial.stream(Purpose::words), noise = trial.stream(Purpose::receiver_noise);
  int wrong = 0;
  for (int s = 0; s < symbols; ++s) {
    const auto sent = static_cast<int>(digits.below(4));
    wrong += pam_decision(thresholds, direct_current_a(receiver, outer_w * sent / 3, noise)) != sent;
  }
  return static_cast<double>(wrong) / symbols;
}

/// Outer modulation amplitude that Patel's amplifier needs for a symbol error rate of 4.8e-4, dBm.
double patel_sensitivity_dbm(double responsivity_a_per_w) {
  return 10 *
         std::log10(sensitivity_oma_w(4, 4.8e-4, input_noise_a(patel_2022_receiver()), responsivity_a_per_w) /
                    1e-3);
}

}  // namespace

std::vector<Law> detection_laws() {
  return {
      {.row = "14",
       .name = "PAM4 symbol errors, noise of each level",
       .kind = LawKind::monte_carlo,
       .formula = "(1/4) sum erfc(q_i / sqrt 2), q_i = R (P_i+1 - P_i) / (s_i + s_i+1)",
       .quantity = "symbol error rate",
       .sample = "share of 10,000 symbols decided wrongly",
       .expected = level_noise_errors,
       .relative_tolerance = 0.05,
       .measure = over_trials(Statistic::mean, direct_errors),
       .axis = {"P3", "W", "power of the highest level"},
       .points = {{40e-6, 200}, {60e-6, 400}, {80e-6, 800}, {100e-6, 2000}}},
      {.row = "19",
       .name = "Patel sensitivity",
       .kind = LawKind::published,
       .formula = "6 q i_n / R: -11.01 dBm, R = 0.8 A/W, 33.5 GHz of noise, no intersymbol interference",
       .quantity = "outer modulation amplitude at a symbol error rate of 4.8e-4",
       .unit = "dBm",
       .expected = constant(-11.01),
       .absolute_tolerance = 0.05,
       .measure = value_of([](double) { return patel_sensitivity_dbm(0.8); })},
      {.row = "19",
       .name = "Patel sensitivity, no worse than measured",
       .kind = LawKind::published,
       .formula = "below -8.2 dBm, R = 0.6 to 1 A/W",
       .quantity = "sensitivity over the measured one, 0 below",
       .unit = "dB",
       .expected = constant(0),
       .measure = value_of([](double r) { return std::max(0.0, patel_sensitivity_dbm(r) + 8.2); }),
       .axis = {"R", "A/W", "responsivity"},
       .points = {{0.6}, {0.8}, {1.0}}},
  };
}

}  // namespace optinc
