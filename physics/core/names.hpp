#pragma once

#include <span>
#include <string>
#include <string_view>

namespace optinc {

/// The entry of `names` with the smallest edit distance (insert, delete, substitute) to `word`, those first
/// that it begins or that begin it with three letters or more; for "did you mean" messages. `names` must not be
/// empty.
std::string_view nearest_name(std::string_view word, std::span<const std::string_view> names);

/// "a, b, c".
std::string join_names(std::span<const std::string_view> names);

}  // namespace optinc
