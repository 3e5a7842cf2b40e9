#pragma once

#include <cmath>
#include <string_view>

#include "physics/core/check.hpp"

namespace optinc {

/// Throws Error, naming the field, unless `value` is finite and > 0.
inline void validate_positive(std::string_view name, double value) {
  validate_field(std::isfinite(value) && value > 0, name, "{} (finite and > 0). Give {} > 0.", value, name);
}

/// Throws Error, naming the field, unless `value` is finite and >= 0.
inline void validate_not_negative(std::string_view name, double value) {
  validate_field(std::isfinite(value) && value >= 0, name, "{} (finite and >= 0). Give {} >= 0.", value, name);
}

/// Throws Error, naming the field, unless `value` is finite.
inline void validate_finite(std::string_view name, double value) {
  validate_field(std::isfinite(value), name, "{} (finite). Give a number.", value);
}

/// Throws Error, naming the field, unless `value` lies in [least, most].
inline void validate_within(std::string_view name, double value, double least, double most) {
  validate_field(value >= least && value <= most, name, "{} ({}..{}). Give {} in that range.", value, least,
                 most, name);
}

}  // namespace optinc
