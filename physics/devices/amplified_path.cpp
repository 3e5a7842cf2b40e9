#include "physics/devices/amplified_path.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "physics/core/check_values.hpp"
#include "physics/core/units.hpp"
#include "physics/devices/pam_decision.hpp"

namespace optinc {
namespace {

/// The largest x of 1e-12 .. 10 at which a rate that rises with x does not exceed the bit error rate.
template <class Rate>
double largest(double bit_error_rate, Rate rate) {
  validate(bit_error_rate > 0.0 && bit_error_rate < 0.1, "bit error rate {} (above 0, below 0.1). Set 2.4e-4.",
           bit_error_rate);
  double low = -12.0, high = 1.0;  // log10
  while (high - low > 1e-12) {
    const double middle = (low + high) / 2.0;
    (rate(std::pow(10.0, middle)) <= bit_error_rate ? low : high) = middle;
  }
  return std::pow(10.0, low);
}

}  // namespace

double chain_osnr_db(std::span<const NoisyStage> chain, double input_power_w, double wavelength_m,
                     double reference_bandwidth_hz) {
  validate_positive("input_power_w", input_power_w);
  validate_positive("reference_bandwidth_hz", reference_bandwidth_hz);
  const NoisyStage all = cascaded_stages(chain);
  const double noise_w =
      2.0 * ase_density_w_per_hz(all.noise_factor, all.gain, wavelength_m) * reference_bandwidth_hz;
  validate(all.noise_factor * all.gain > 1.0 + 1e-12,
           "a path without an amplifier (its OSNR has no bound). Add an amplifier.");
  return -loss_db_of_power_ratio(all.gain * input_power_w / noise_w);
}

double noise_to_signal(double osnr_db, double symbol_rate_bd, double reference_bandwidth_hz) {
  return symbol_rate_bd / (2.0 * reference_bandwidth_hz * power_ratio_of_loss_db(-osnr_db));
}

double beat_limited_bit_error_rate(int levels, double noise, double receiver_noise) {
  std::vector<NoisyLevel> received;
  for (int k = 0; k < levels; ++k) {
    const double power = 2.0 * k / (levels - 1);
    received.push_back({power, std::hypot(beat_noise_w(power, noise), receiver_noise)});
  }
  return gray_bit_error_rate(levels, symbol_error_rate(received));
}

double tolerated_noise_to_signal(int levels, double bit_error_rate) {
  return largest(bit_error_rate, [&](double r) { return beat_limited_bit_error_rate(levels, r); });
}

double tolerated_receiver_noise(int levels, double bit_error_rate, double noise) {
  if (noise > 0.0 && beat_limited_bit_error_rate(levels, noise) > bit_error_rate)
    return std::numeric_limits<double>::quiet_NaN();
  return largest(bit_error_rate, [&](double n) { return beat_limited_bit_error_rate(levels, noise, n); });
}

}  // namespace optinc
