#include "physics/thermal/crosstalk_inversion.hpp"

#include <algorithm>
#include <cmath>

#include "physics/core/check.hpp"
#include "physics/core/units.hpp"
#include "physics/devices/phase_shifter.hpp"
#include "physics/thermal/detail/sparse_solve.hpp"

namespace optinc {
namespace {

using constants::pi;
using Index = Eigen::Index;
using Flags = std::vector<char>;

void validate_phases(const PhaseResponse& response, const Vector& phase_rad) {
  validate(phase_rad.size() == response.count(), "{} phases for {} heaters (one each). Give as many.",
           phase_rad.size(), response.count());
  validate(phase_rad.allFinite(), "a wanted phase is not finite (radians). Give finite phases.");
}

/// Powers that give the rises wanted of every heater that is not held, the others at the powers they are held
/// at.
Vector solve_around(const PhaseResponse& r, const Vector& target_rad, const Flags& held, const Vector& held_w) {
  Vector rise = target_rad.cwiseQuotient(r.rad_per_k);
  if (std::find(held.begin(), held.end(), 1) == held.end())
    return solve_sparse(r.resistance_k_per_w, rise, r.symmetric);
  rise -= r.resistance_k_per_w * held_w;
  // Held rows and columns become those of the unit matrix, scaled: the system stays symmetric and definite.
  SparseMatrix free = r.resistance_k_per_w;
  const auto is_held = [&](Index i) { return held[static_cast<std::size_t>(i)] != 0; };
  free.prune([&](Index i, Index j, double) { return i == j || (!is_held(i) && !is_held(j)); });
  for (Index i = 0; i < rise.size(); ++i)
    if (is_held(i)) rise[i] = 0;
  return solve_sparse(free, rise, r.symmetric) + held_w;
}

std::vector<Index> indices_of(const Flags& flags) {
  std::vector<Index> indices;
  for (std::size_t i = 0; i < flags.size(); ++i)
    if (flags[i]) indices.push_back(static_cast<Index>(i));
  return indices;
}

}  // namespace

CrosstalkInversion invert_crosstalk(const PhaseResponse& response, const Vector& phase_rad,
                                    const PowerLimits& limits) {
  validate_phases(response, phase_rad);
  validate(limits.heater_w > 0 && limits.total_w > 0,
           "power limits of {} W per heater and {} W in total (both > 0). Give positive limits.",
           limits.heater_w, limits.total_w);
  const Index count = response.count();
  const auto flags = static_cast<std::size_t>(count);
  CrosstalkInversion result;
  result.target_rad = phase_rad.unaryExpr([](double phase) { return wrap_phase(phase); });
  Flags turned(flags, 0), at_zero(flags, 0), at_limit(flags, 0), held(flags, 0);
  Vector held_w = Vector::Zero(count);
  const auto hold = [&](Index i, Flags& why, double power) {
    const auto k = static_cast<std::size_t>(i);
    why[k] = held[k] = 1;
    held_w[i] = power;
  };
  // Every round turns or holds at least one heater more, each at most once: it ends, in practice after two or
  // three.
  for (bool changed = true; changed;) {
    changed = false;
    result.power_w = solve_around(response, result.target_rad, held, held_w);
    for (Index i = 0; i < count; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const double power = result.power_w[i];
      if (held[k] || (power >= 0 && power <= limits.heater_w)) continue;
      changed = true;
      if (power < 0 && !turned[k]) {
        turned[k] = 1;
        result.target_rad[i] += 2 * pi;
      } else if (turned[k]) {  // a turn more is out of reach, or not enough: nearest is no power at all
        turned[k] = 0;
        result.target_rad[i] -= 2 * pi;
        hold(i, at_zero, 0.0);
      } else {
        hold(i, at_limit, limits.heater_w);
      }
    }
  }
  const double total_w = result.power_w.sum();
  if (total_w > limits.total_w) {
    result.power_scale = limits.total_w / total_w;
    result.power_w *= result.power_scale;
  }
  result.phase_rad = heater_phases(response, result.power_w);
  result.residual_rad = (result.phase_rad - result.target_rad).cwiseAbs().maxCoeff();
  result.turned = indices_of(turned);
  result.clipped_at_zero = indices_of(at_zero);
  result.clipped_at_limit = indices_of(at_limit);
  result.total_w = result.power_w.sum();
  result.die_k = response.die_resistance_k_per_w * result.total_w;
  return result;
}

Vector static_phase_errors_rad(const PhaseResponse& response, const Vector& power_w, const Vector& wanted_rad) {
  validate_phases(response, wanted_rad);
  return (heater_phases(response, power_w) - wanted_rad).unaryExpr([](double error) {
    return std::remainder(error, 2 * pi);
  });
}

}  // namespace optinc
