#include "onn/link/link.hpp"

#include <cmath>

#include "physics/core/check.hpp"

namespace optinc {

void validate_link(const LinkSettings& s) {
  validate(std::isfinite(s.launch_power_w) && s.launch_power_w > 0, "launch_power_w = {} (> 0 W). Try 1e-3.",
           s.launch_power_w);
  validate(std::isfinite(s.signal_full_scale_w) && s.signal_full_scale_w > 0,
           "signal_full_scale_w = {} (> 0 W). Try 1e-4.", s.signal_full_scale_w);
  validate(std::isfinite(s.sigma_lock_rad) && s.sigma_lock_rad >= 0, "sigma_lock_rad = {} (>= 0 rad). Try 0.1.",
           s.sigma_lock_rad);
  validate(std::isfinite(s.sigma_combiner) && s.sigma_combiner >= 0 && s.sigma_combiner <= 0.14,
           "sigma_combiner = {} (0 to 0.14: a weight stays positive). Try 0.01.", s.sigma_combiner);
  validate(s.modulator_leak >= 0 && s.modulator_leak < 1, "modulator_leak = {} (0 to less than 1). Try 0.04.",
           s.modulator_leak);
  validate(s.level_mismatch >= 0 && s.level_mismatch < 1, "level_mismatch = {} (0 to less than 1). Try 0.03.",
           s.level_mismatch);
  validate(s.adc_bits >= 0 && s.adc_bits <= 24, "adc_bits = {} (0 is no converter, otherwise 1..24). Try 7.",
           s.adc_bits);
  validate_receiver(s.receiver);
}

}  // namespace optinc
