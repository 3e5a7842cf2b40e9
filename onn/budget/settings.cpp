#include "onn/budget/settings.hpp"

#include "physics/core/check_values.hpp"

namespace optinc {

void validate_budget(const BudgetSettings& s) {
  validate_positive("symbol_rate_bd", s.symbol_rate_bd);
  validate_not_negative("control_w_per_shifter", s.control_w_per_shifter);
}

}  // namespace optinc
