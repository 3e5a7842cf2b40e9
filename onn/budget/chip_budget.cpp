#include "onn/budget/chip_budget.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "physics/core/check.hpp"
#include "physics/core/names.hpp"
#include "physics/core/suggestion.hpp"

namespace optinc {

double BudgetPart::total() const { return std::accumulate(by_stage.begin(), by_stage.end(), 0.0); }

double BudgetTable::total() const {
  double sum = 0.0;
  for (const BudgetPart& p : parts) sum += p.total();
  return sum;
}

double BudgetTable::total(std::size_t stage) const {
  double sum = 0.0;
  for (const BudgetPart& p : parts) sum += p.by_stage.at(stage);
  return sum;
}

const BudgetPart& BudgetTable::part(std::string_view wanted) const {
  std::vector<std::string_view> names;
  for (const BudgetPart& p : parts) {
    if (p.name == wanted) return p;
    names.push_back(p.name);
  }
  throw Error(fmt::format("no part \"{}\" in the budget of {} (there are: {}). {}", wanted, name,
                          join_names(names), suggestion(wanted, names)));
}

std::int64_t ChipBudget::mzis() const {
  std::int64_t sum = 0;
  for (const BudgetStage& s : stages) sum += s.mzis;
  return sum;
}

int ChipBudget::columns() const {
  int sum = 0;
  for (const BudgetStage& s : stages) sum += s.on_critical_path ? s.columns : 0;
  return sum;
}

int ChipBudget::conversions() const {
  const auto last = std::ranges::max_element(answers, {}, &BudgetAnswer::delay_s);
  return last == answers.end() ? 0 : last->conversions;
}

double ChipBudget::delay_lines_m() const {
  double sum = 0.0;
  for (const BudgetStage& s : stages) sum += s.line_m;
  return sum;
}

double ChipBudget::most_gain_db() const {
  double most = 0.0;
  for (const BudgetStage& s : stages) most = std::max(most, s.gain_db);
  return most;
}

double ChipBudget::answer_skew_s() const {
  const auto [first, last] =
      std::minmax_element(answers.begin(), answers.end(),
                          [](const BudgetAnswer& a, const BudgetAnswer& b) { return a.delay_s < b.delay_s; });
  return last->delay_s - first->delay_s;
}

double ChipBudget::energy_per_bit_j() const {
  if (!carries_its_rate()) return std::numeric_limits<double>::quiet_NaN();
  return (static_power_w.total() + symbol_power_w.total()) / (bits_per_word * symbol_rate_bd);
}

double ChipBudget::fan_db() const { return loss_db.part("fan-out, fan-in").total(); }

}  // namespace optinc
