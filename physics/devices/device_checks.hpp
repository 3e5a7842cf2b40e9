#pragma once

#include <cmath>
#include <string_view>

#include "physics/core/check.hpp"

namespace optinc {

/// Throws Error, naming the field, unless `value` is finite and > 0.
inline void require_positive(std::string_view name, double value) {
  validate(std::isfinite(value) && value > 0, "{} = {} (finite and > 0). Give {} > 0.", name, value, name);
}

/// Throws Error, naming the field, unless `value` is finite and >= 0.
inline void require_not_negative(std::string_view name, double value) {
  validate(std::isfinite(value) && value >= 0, "{} = {} (finite and >= 0). Give {} >= 0.", name, value, name);
}

/// Throws Error, naming the field, unless `value` is finite.
inline void require_finite(std::string_view name, double value) {
  validate(std::isfinite(value), "{} = {} (finite). Give a number.", name, value);
}

}  // namespace optinc
