#include "onn/budget/settings.hpp"

#include "onn/budget/settings_rows.hpp"

namespace optinc {

void validate_budget(const BudgetSettings& s) { validate_rows(s); }

}  // namespace optinc
