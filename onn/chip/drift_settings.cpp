#include "onn/chip/drift_settings.hpp"

#include <cmath>

#include "physics/core/check.hpp"

namespace optinc {

void validate_sensitivity(const SensitivitySettings& s) {
  validate_field(std::isfinite(s.imbalance_m) && s.imbalance_m >= 0 && s.imbalance_m <= 1e-3, "imbalance_m",
                 "{} (0 to 1e-3 m). Try 1e-6.", s.imbalance_m);
  validate_field(std::isfinite(s.heater_per_k) && std::abs(s.heater_per_k) <= 0.1, "heater_per_k",
                 "{} (-0.1 to 0.1 per K). Try -1e-3.", s.heater_per_k);
  validate_field(std::isfinite(s.splitter_rad_per_m) && std::abs(s.splitter_rad_per_m) <= 1e8,
                 "splitter_rad_per_m", "{} (-1e8 to 1e8 rad/m). Try 4e6.", s.splitter_rad_per_m);
}

void validate_drift(const DriftSettings& s) {
  const auto check = [](const char* name, double value, double low, double high, const char* unit) {
    validate_field(std::isfinite(value) && value >= low && value <= high, name,
                   "{} ({} to {} {}). Set a value in this range.", value, low, high, unit);
  };
  check("instants", s.instants, 2, 2047, "instants");
  check("interval_s", s.interval_s, 1e-6, 1e7, "s");
  check("recalibrate_s", s.recalibrate_s, 1e-6, 1e12, "s");
  check("warm_up_s", s.warm_up_s, 0, 1e7, "s");
  check("ramp_k_per_s", s.ramp_k_per_s, -10, 10, "K/s");
  check("sine_k", s.sine_k, 0, 100, "K");
  check("sine_period_s", s.sine_period_s, 1e-6, 1e9, "s");
  check("ou_k", s.ou_k, 0, 100, "K");
  check("ou_time_s", s.ou_time_s, 1e-6, 1e9, "s");
  check("controlled", s.controlled, 0, 1, "of 1");
  check("laser_m", s.laser_m, 0, 1e-7, "m");
  check("laser_time_s", s.laser_time_s, 1e-6, 1e9, "s");
  validate_sensitivity(s.sensitivity);
}

}  // namespace optinc
