#include "experiments/validate/law.hpp"

#include <fmt/format.h>

namespace optinc {

std::string Law::point_name(const LawPoint& point) const {
  return axis.symbol.empty() ? name : fmt::format("{} {}={}", name, axis.symbol, point.x);
}

std::function<double(double)> constant(double value) {
  return [value](double) { return value; };
}

}  // namespace optinc
