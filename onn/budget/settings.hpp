#pragma once

namespace optinc {

/// What a budget asks for beside the hardware.
struct BudgetSettings {
  double control_w_per_shifter = 0.0;  ///< DAC channel of a phase shifter; 0: not counted
};

/// Throws Error, naming the field, for a negative power.
void validate_budget(const BudgetSettings& settings);

}  // namespace optinc
