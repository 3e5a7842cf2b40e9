#pragma once

#include <stdexcept>
#include <string>

#include <fmt/format.h>

namespace optinc {

/// What a user can mend: bad input, an impossible value, a file that is not what it should be.
/// Its text reads PROBLEM (WHY). SUGGESTION, in one line.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws Error with the formatted message unless `condition` holds. Always on; use it at every boundary
/// where a user's value enters. (Internal invariants use assert.)
template <class... Args>
void validate(bool condition, fmt::format_string<Args...> format, Args&&... args) {
  if (!condition) throw Error(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace optinc
