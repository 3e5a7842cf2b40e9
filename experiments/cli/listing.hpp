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

/// The same as JSON: for each kind, an array of {name, description, heading}, the heading under which it
/// stands.
std::string listing_json(std::string_view kind = {}, std::string_view word = {});

/// Keys of a study as a JSON array of {key, meaning, unit, default, allowed, source} and, where there are some,
/// min, max and names: one key, those of a section, or all. Throws Error for what is neither.
std::string keys_json(std::string_view key);

/// What there is on a word: commands (name, description), keys and metrics whose name or meaning holds it, and
/// the entries of listing(). Empty where there is nothing.
std::string help_text(std::string_view word, std::span<const std::pair<std::string, std::string>> commands);

}  // namespace optinc
