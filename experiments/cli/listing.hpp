#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace optinc {

/// What listing() tells of: studies, lists ..
std::vector<std::string_view> listing_kinds();

/// What there is to use, or one kind of it: studies, lists and networks shipped, devices, chip presets with
/// their values, models with their metrics and variants, sources of error that an ablation switches, figures.
/// Text for a person, in lines of at most terminal_columns characters but for folders. Throws Error for an
/// unknown kind.
std::string listing(std::string_view kind = {});

}  // namespace optinc
