#include "experiments/validate/report.hpp"

#include <set>

#include <fmt/format.h>

#include "experiments/base/text_table.hpp"

namespace optinc {
namespace {

/// Shortest wide enough for the eye: five digits, zero as 0.
std::string number(double value) { return fmt::format("{:.5g}", value); }

}  // namespace

std::string verdict_heading() {
  return fmt::format("{:<3} {:<49} {:>10} {:>10} {:>7} {:>6}  {}\n", "row", "law", "expected", "measured", "+-",
                     "trials", "verdict");
}

std::string verdict_line(const LawVerdict& v) {
  return fmt::format("{:<3} {:<49} {:>10} {:>10} {:>7} {:>6}  {}\n", v.row, v.name, number(v.expected),
                     number(v.measured), fmt::format("{:.2g}", v.tolerance), v.trials,
                     v.passed ? "pass" : "FAIL");
}

std::string verdict_summary(std::span<const LawVerdict> verdicts) {
  std::set<std::string> laws;
  std::string failed;
  std::size_t failures = 0;
  for (const LawVerdict& v : verdicts) {
    laws.insert(v.law);
    if (v.passed) continue;
    ++failures;
    failed += (failed.empty() ? "" : "; ") + v.name;
  }
  if (failures == 0) return fmt::format("all {} points of {} laws hold\n", verdicts.size(), laws.size());
  return fmt::format("{} of {} points of {} laws do NOT hold: {}\n", failures, verdicts.size(), laws.size(),
                     failed);
}

nlohmann::ordered_json verdict_json(const LawVerdict& v) {
  return {{"row", v.row},
          {"law", v.law},
          {"name", v.name},
          {"kind", v.kind},
          {"formula", v.formula},
          {"x", v.x},
          {"expected", v.expected},
          {"measured", v.measured},
          {"standard_error", v.standard_error},
          {"tolerance", v.tolerance},
          {"unit", v.unit},
          {"trials", v.trials},
          {"verdict", v.passed ? "pass" : "fail"},
          {"seconds", v.seconds}};
}

std::string law_list(const std::vector<const Law*>& chosen) {
  constexpr std::size_t formula = 5;  // column on which formulas begin, on a line of their own
  std::string text = hanging_text(fmt::format("{:<4} {:<12} {:<40} {:>6}", "row", "kind", "law", "points"),
                                  "formula", formula);
  for (const Law* law : chosen)
    text += hanging_text(
        fmt::format("{:<4} {:<12} {:<40} {:>6}", law->row, name_of(law->kind), law->name, law->points.size()),
        law->formula, formula);
  return text;
}

nlohmann::ordered_json law_list_json(const std::vector<const Law*>& chosen) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Law* law : chosen) {
    nlohmann::ordered_json points = nlohmann::ordered_json::array();
    for (const LawPoint& point : law->points)
      points.push_back({{"name", law->point_name(point)},
                        {"x", point.x},
                        {"trials", point.trials},
                        {"expected", law->expected(point.x)}});
    list.push_back({{"row", law->row},
                    {"name", law->name},
                    {"kind", name_of(law->kind)},
                    {"formula", law->formula},
                    {"points", points}});
  }
  return list;
}

}  // namespace optinc
