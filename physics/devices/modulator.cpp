#include "physics/devices/modulator.hpp"

#include <cmath>

namespace optinc {

double pam4_field_sqrt_w(double digit, double full_scale_power_w) {
  return digit / pam4_full_scale_digit * std::sqrt(full_scale_power_w);
}

}  // namespace optinc
