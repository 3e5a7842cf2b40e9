#include "onn/budget/settings.hpp"

#include "physics/core/check_values.hpp"

namespace optinc {

void validate_budget(const BudgetSettings& s) {
  validate_not_negative("control_w_per_shifter", s.control_w_per_shifter);
}

}  // namespace optinc
