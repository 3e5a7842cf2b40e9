#pragma once

#include <string>
#include <string_view>

namespace optinc {

/// What may have been meant by a wrong key ("key" or "section.key"), "a, b or c": what it is called now, the
/// same key in another section, the keys of its section (or all) that contain it, or the nearest of those.
std::string likely_keys(std::string_view wrong);

/// The section nearest to a wrong name.
std::string_view nearest_section(std::string_view wrong);

/// "sections: run, task, ...".
std::string known_sections_text();

/// "[run] has: seed, threads"; for the keys above all sections, "above the sections: study".
std::string known_keys_text(std::string_view section);

}  // namespace optinc
