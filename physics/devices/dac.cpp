#include "physics/devices/dac.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "physics/core/check_values.hpp"
#include "physics/devices/phase_shifter.hpp"

namespace optinc {
namespace {

using constants::pi;

double codes(const Dac& dac) { return std::ldexp(1.0, dac.bits); }

/// Share of the range at the DAC's output for a code, bow included; never below 0.
double share_of_code(const Dac& dac, double code) {
  const double x = code / (codes(dac) - 1);
  return std::max(0.0, (code + dac.inl_lsb * 4 * x * (1 - x)) / codes(dac));
}

/// `share_of`: share of the range at a phase >= 0; `phase_of`: the phase at a share.
template <class ShareOf, class PhaseOf>
DacOutput nearest_code(const Dac& dac, double phase_rad, ShareOf share_of, PhaseOf phase_of) {
  validate_dac(dac);
  validate_finite("phase_rad", phase_rad);
  const double wanted =
      dac.wraps ? dac.least_phase_rad + wrap_phase(phase_rad - dac.least_phase_rad) : phase_rad;
  const double reached = std::clamp(wanted, 0.0, dac.full_scale_rad);
  const double last = codes(dac) - 1;
  double code = std::min(std::nearbyint(share_of(reached) * codes(dac)), last);
  if (dac.wraps && dac.least_phase_rad == 0.0 && 2 * pi - wanted < wanted - phase_of(code / codes(dac)))
    code = 0;
  return {phase_of(share_of_code(dac, code)), static_cast<std::uint32_t>(code), wanted != reached};
}

}  // namespace

double quantise_phase(double phi_rad, int bits) {
  const double wrapped = wrap_phase(phi_rad);
  if (bits == 0) return wrapped;
  const double step = 2 * pi / std::ldexp(1.0, bits);
  return wrap_phase(step * std::nearbyint(wrapped / step));
}

double quantise_voltage(double phi_rad, int bits) {
  const double wrapped = wrap_phase(phi_rad);
  if (bits == 0) return wrapped;
  const double steps = std::ldexp(1.0, bits);
  const double level = std::nearbyint(steps * std::sqrt(wrapped / (2 * pi)));  // V / V_max in DAC steps
  return 2 * pi * (level / steps) * (level / steps);
}

DacOutput dac_output(const Dac& dac, double phase_rad) {
  const double full = dac.full_scale_rad;
  if (dac.mode == DacMode::phase)
    return nearest_code(
        dac, phase_rad, [full](double phase) { return phase / full; },
        [full](double share) { return full * share; });
  return nearest_code(
      dac, phase_rad, [full](double phase) { return std::sqrt(phase / full); },
      [full](double share) { return full * share * share; });
}

DacOutput dac_output(const Dac& dac, const ThermoOpticShifter& heater, double phase_rad) {
  if (dac.mode == DacMode::phase) return dac_output(dac, phase_rad);
  validate_dac(dac);
  const double v_max = thermo_optic_voltage_v(heater, dac.full_scale_rad);
  return nearest_code(
      dac, phase_rad, [&](double phase) { return thermo_optic_voltage_v(heater, phase) / v_max; },
      [&](double share) { return thermo_optic_phase_rad(heater, share * v_max); });
}

void validate_dac(const Dac& dac) {
  validate_field(dac.bits >= 1 && dac.bits <= 24, "bits",
                 "{} of a DAC (1..24; a shifter without DAC has no Dac). Give 1 <= bits <= 24.", dac.bits);
  validate_positive("full_scale_rad", dac.full_scale_rad);
  validate_field(dac.least_phase_rad >= 0 && dac.least_phase_rad < 2 * pi, "least_phase_rad",
                 "{} (0 <= least_phase_rad < 2 pi). Give the phase below which 2 pi is added.",
                 dac.least_phase_rad);
  validate_field(std::abs(dac.inl_lsb) <= codes(dac) / 8, "inl_lsb",
                 "{} (beyond an eighth of all codes the output is hardly monotone). Give |inl_lsb| <= {}.",
                 dac.inl_lsb, codes(dac) / 8);
}

}  // namespace optinc
