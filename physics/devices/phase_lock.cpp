#include "physics/devices/phase_lock.hpp"

#include <cmath>

#include "physics/core/check_values.hpp"
#include "physics/core/units.hpp"

namespace optinc {

double phase_lock_error_rad(double error_rad, double change_rad, double elapsed_s, double bandwidth_hz) {
  validate_not_negative("elapsed_s", elapsed_s);
  validate_not_negative("bandwidth_hz", bandwidth_hz);
  const double turns = 2 * constants::pi * bandwidth_hz * elapsed_s;
  if (turns == 0) return error_rad + change_rad;
  return error_rad * std::exp(-turns) - change_rad * std::expm1(-turns) / turns;
}

}  // namespace optinc
