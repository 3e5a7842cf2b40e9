#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace optinc {

/// What listing() tells of: studies, lists ..
std::vector<std::string_view> listing_kinds();

/// What there is to use, or one kind of it: studies, lists and networks shipped, devices, chip presets with
/// their values, models with their metrics and variants, sources of error that an ablation switches, figures.
/// Text for a person, in lines of at most terminal_columns characters but for folders. Throws Error for an
/// unknown kind. With `word`, only the entries that hold it, in any case, under the headings of their kinds;
/// empty where none does.
std::string listing(std::string_view kind = {}, std::string_view word = {});

/// What there is on a word: commands (name, description), keys and metrics whose name or meaning holds it, and
/// the entries of listing(). Empty where there is nothing.
std::string help_text(std::string_view word, std::span<const std::pair<std::string, std::string>> commands);

}  // namespace optinc
