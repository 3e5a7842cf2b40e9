#include "onn/link.hpp"

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
  validate_receiver(s.receiver);
}

}  // namespace optinc
