#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace optinc {

/// An error that a user can correct: bad input, an impossible value, a file that is not what it should be. Its
/// text reads PROBLEM (WHY). SUGGESTION, in one line.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
  /// About one field of some settings; the text reads "FIELD = REST".
  Error(std::string_view name, const std::string& rest)
      : std::runtime_error(fmt::format("{} = {}", name, rest)), field(name) {}

  std::string field;  ///< that the text opens with; empty where it is about no single one
};

/// Throws Error with the formatted message unless `condition` holds. Always on; use it at every boundary
/// where a user's value enters. (Internal invariants use assert.)
template <class... Args>
void validate(bool condition, fmt::format_string<Args...> format, Args&&... args) {
  if (!condition) throw Error(fmt::format(format, std::forward<Args>(args)...));
}

/// The same for one field of some settings: the message reads "FIELD = ", then the formatted rest.
template <class... Args>
void validate_field(bool condition, std::string_view field, fmt::format_string<Args...> rest, Args&&... args) {
  if (!condition) throw Error(field, fmt::format(rest, std::forward<Args>(args)...));
}

}  // namespace optinc
