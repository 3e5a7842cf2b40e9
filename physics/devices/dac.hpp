#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "physics/core/units.hpp"
#include "physics/core/warning.hpp"
#include "physics/devices/thermo_optic_shifter.hpp"

namespace optinc {

/// Nearest phase of a DAC that divides 2 pi into 2^bits equal steps (result in [0, 2 pi)); bits = 0 returns the
/// wrapped phase unchanged. Rounding error: uniform, rms (2 pi / 2^bits) / sqrt(12).
double quantise_phase(double phi_rad, int bits);

/// Nearest phase a thermo-optic shifter reaches when the DAC divides its drive voltage into equal steps
/// instead. phi = pi (V/V_pi)^2 with V in [0, V_max = sqrt(2) V_pi], one step V_max / 2^bits, so that a step in
/// phase is dphi = 2 sqrt(pi phi) dV / V_pi: twice the uniform step at phi = 2 pi. bits = 0 returns the wrapped
/// phase.
double quantise_voltage(double phi_rad, int bits);

/// What the codes of a DAC divide into equal steps.
enum class DacMode {
  phase,    ///< the phase itself: a driver that linearises (V ~ sqrt(phi))
  voltage,  ///< the heater's voltage: steps in phase grow with sqrt(phi)
};

/// A digital-to-analogue converter before a phase shifter. It has 2^bits codes, code m at m / 2^bits of its
/// range: full scale itself is one step beyond the last code. (The two functions above are the idealised DACs
/// of the error laws: they reach full scale, and bits = 0 is no DAC.)
struct Dac {
  DacMode mode = DacMode::phase;
  int bits = 12;                              ///< 1..24
  double full_scale_rad = 2 * constants::pi;  ///< phase at full scale; in voltage mode that of V_max
  double least_phase_rad = 0.0;  ///< phi_off: phases asked for below it are reached one turn higher, where a
                                 ///< heater's voltage has an effect to dither with
  bool wraps = true;             ///< phases are equal modulo 2 pi; otherwise they are clipped to the range
  double inl_lsb = 0.0;  ///< integral nonlinearity: a bow of this many steps at mid scale, 0 at the ends
};

/// Result of setting a phase through a DAC.
struct DacOutput {
  double phase_rad = 0.0;  ///< what the shifter gets
  std::uint32_t code = 0;
  bool clipped = false;  ///< the phase asked for was out of range
};

/// The nearest code to a phase, for a shifter that follows phi = full scale (V/V_max)^2, and the phase it
/// gives. With `wraps` the phase is first brought into [least_phase, least_phase + 2 pi); where that is nearer
/// than the last code and least_phase = 0, code 0 stands for 2 pi. The operator takes the codes for equal
/// steps: the bow inl_lsb 4 x (1 - x) steps, x = code / (2^bits - 1), acts on the output alone.
/// Throws Error as validate_dac does, or for a phase that is not finite.
DacOutput dac_output(const Dac& dac, double phase_rad);

/// The same for a given heater, whose self-heating bends V(phi): in voltage mode the codes divide
/// [0, V(full scale)].
DacOutput dac_output(const Dac& dac, const ThermoOpticShifter& heater, double phase_rad);

/// Throws Error, naming the field: bits outside 1..24, full scale <= 0, a least phase outside 0..2 pi, or an
/// INL beyond an eighth of all codes (the output would hardly be monotone).
void validate_dac(const Dac& dac);

}  // namespace optinc
