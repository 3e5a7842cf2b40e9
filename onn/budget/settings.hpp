#pragma once

namespace optinc {

/// What a budget asks for beside the hardware.
struct BudgetSettings {
  double control_w_per_shifter = 0.0;  ///< DAC channel of a phase shifter; 0: not counted
  double lock_w = 0.0;  ///< electronics of a phase lock, one a lane of every server; 0: not counted
  double serialiser_j_per_bit =
      0.0;                     ///< of every bit that a modulator sends or a converter hands on; 0: not counted
  double dac_step_j = 19e-15;  ///< of the DACs of servers that send a code as one level; assumed
  double hub_j_per_bit = 0.0;  ///< of electronics in which words are added (Adder::hub), beside the additions
};

/// Energy of an integer addition in CMOS, a bit: 0.03 pJ for 8 bits in 45 nm (M. Horowitz 2014, ISSCC, p. 10).
constexpr double addition_j_per_bit = 0.03e-12 / 8;

/// Throws Error, naming the field, for a negative power or energy.
void validate_budget(const BudgetSettings& settings);

}  // namespace optinc
