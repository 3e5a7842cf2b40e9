#pragma once

#include <string>
#include <string_view>

namespace optinc {

/// The valid key nearest to a wrong one ("key" or "section.key"): the same key in another section first, then
/// the nearest of its own section, then the nearest of all.
std::string nearest_key(std::string_view wrong);

/// The section nearest to a wrong name.
std::string_view nearest_section(std::string_view wrong);

/// "sections: run, task, ...".
std::string known_sections_text();

/// "[run] has: seed, threads"; for the keys above all sections, "above the sections: study".
std::string known_keys_text(std::string_view section);

}  // namespace optinc
