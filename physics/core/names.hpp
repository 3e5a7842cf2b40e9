#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace optinc {

/// The entry of `names` with the smallest edit distance (insert, delete, substitute) to `word`, those first
/// that it begins or that begin it with three letters or more; for "did you mean" messages. Of a longer word
/// only the first 64 letters count. `names` must not be empty.
std::string_view nearest_name(std::string_view word, std::span<const std::string_view> names);

/// Those of `names` that contain `word` of three letters or more, but 12 at most; where none does, the nearest.
std::vector<std::string_view> likely_names(std::string_view word, std::span<const std::string_view> names);

/// A name that is no longer taken. Files of earlier versions that hold it are read under its present name.
struct FormerName {
  std::string_view name, present;
  std::string_view remedy;  ///< why it went and what to write, as sentences
};

/// The present name for a former one, else `name`.
std::string_view present_name(std::string_view name, std::span<const FormerName> former);

/// The remedy for an unknown `name`: that of a former name, else suggestion().
std::string remedy(std::string_view name, std::span<const std::string_view> names,
                   std::span<const FormerName> former);

/// `names` and "custom", which stands for values that have no name.
std::vector<std::string_view> names_or_custom(std::span<const std::string_view> names);

/// "a, b or c".
std::string choice_text(std::span<const std::string_view> names);

/// "a, b, c".
std::string join_names(std::span<const std::string_view> names);

/// Throws Error: unknown WHAT "NAME" (known: ..). Did you mean "NEAREST"? Or the remedy of a former name.
[[noreturn]] void refuse_name(std::string_view what, std::string_view name,
                              std::span<const std::string_view> names, std::span<const FormerName> former = {});

/// Throws Error: WHAT holds value number `value`, for which there is no name.
[[noreturn]] void refuse_value(std::string_view what, std::size_t value,
                               std::span<const std::string_view> names);

}  // namespace optinc
