#pragma once

#include "onn/budget/settings.hpp"
#include "physics/core/rows.hpp"

namespace optinc {

template <Like<BudgetSettings> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  visit(
      Row{"control_w_per_shifter", "W", "Power of a DAC channel, one per phase shifter; 0: not counted", 0, 10},
      s.control_w_per_shifter);
}

}  // namespace optinc
