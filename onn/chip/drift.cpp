#include "onn/chip/drift.hpp"

#include <cmath>
#include <limits>

#include "physics/thermal/ambient.hpp"
#include "physics/thermal/thermal_dynamics.hpp"

namespace optinc {

Environment DriftHistory::between(std::size_t from, std::size_t to) const {
  const auto a = static_cast<Eigen::Index>(from), b = static_cast<Eigen::Index>(to);
  return {die_k[b] - die_k[a], wavelength_m[b] - wavelength_m[a]};
}

DriftHistory drift_history(const DriftSettings& s, const ThermalDie& die, double heater_power_w,
                           std::uint64_t seed, std::uint32_t chip) {
  validate_drift(s);
  DriftHistory h;
  for (int k = 0; k < s.instants; ++k) h.time_s.push_back(k * s.interval_s);
  const AmbientModel ambient = {.ramp_k_per_s = s.ramp_k_per_s,
                                .sine_amplitude_k = s.sine_k,
                                .sine_period_s = s.sine_period_s,
                                .ou_rms_k = s.ou_k,
                                .ou_time_s = s.ou_time_s};
  Stream of_ambient(seed, Purpose::ambient, chip), of_laser(seed, Purpose::laser_drift, chip);
  h.ambient_k = ambient_history(ambient, h.time_s, of_ambient);
  h.wavelength_m = wavelength_history({.ou_rms_m = s.laser_m, .ou_time_s = s.laser_time_s}, h.time_s, of_laser);

  Stream of_light(seed, Purpose::light_drift, chip);
  h.light_db = ambient_history({.ou_rms_k = s.light_db, .ou_time_s = s.light_time_s}, h.time_s, of_light);

  const double warm_up_s[] = {-s.warm_up_s, 0.0};
  const double still_k[] = {h.ambient_k[0], h.ambient_k[0]};  // until the calibration
  const double calibrated_k = s.warm_up_s > 0
                                  ? die_history(die, heater_power_w, h.ambient_k[0], warm_up_s, still_k)[1]
                                  : h.ambient_k[0];
  const Vector free_k =
      die_history(die, heater_power_w, calibrated_k, h.time_s, {h.ambient_k.data(), h.time_s.size()});
  h.die_k = calibrated_k + (1 - s.controlled) * (free_k.array() - calibrated_k);
  return h;
}

std::vector<std::size_t> calibration_instants(const DriftSettings& s) {
  // Both times are typed decimals: in units of recalibrate_s, an instant misses a multiple by rounding alone,
  // some eps of itself, and belongs to it. Counting periods leaves nothing to accumulate.
  const auto periods = [&](int k) {
    const double count = k * s.interval_s / s.recalibrate_s;
    return std::floor(count * (1.0 + 8.0 * std::numeric_limits<double>::epsilon()));
  };
  std::vector<std::size_t> last = {0};
  for (int k = 1; k < s.instants; ++k)
    last.push_back(periods(k) > periods(k - 1) ? static_cast<std::size_t>(k) : last.back());
  return last;
}

}  // namespace optinc
