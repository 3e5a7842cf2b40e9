#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace optinc {

/// The fewest edits that make `b` of `a`: a letter inserted, deleted or substituted, or two neighbours
/// exchanged.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The remedy for an unknown `word`: `Did you mean "NAME"?` for those of `names` that contain it or are spelled
/// much like it (at most a third of the letters differ, or one begins with the other), else `otherwise`.
std::string suggestion(std::string_view word, std::span<const std::string_view> names,
                       std::string_view otherwise = "Use one of these.");

}  // namespace optinc
