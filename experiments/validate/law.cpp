#include "experiments/validate/law.hpp"

#include <fmt/format.h>

namespace optinc {

std::string_view kind_name(LawKind kind) {
  switch (kind) {
    case LawKind::exact:
      return "exact";
    case LawKind::conservation:
      return "conservation";
    case LawKind::analytic:
      return "analytic";
    case LawKind::published:
      return "published";
    case LawKind::monte_carlo:
      break;
  }
  return "monte-carlo";
}

std::string Law::point_name(const LawPoint& point) const {
  return axis.symbol.empty() ? name : fmt::format("{} {}={}", name, axis.symbol, point.x);
}

std::function<double(double)> constant(double value) {
  return [value](double) { return value; };
}

}  // namespace optinc
