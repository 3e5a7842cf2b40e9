#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

// The way of all text to standard output and standard error: nothing that somebody wrote into a file, or called
// it, commands the terminal (physics/core/printable.hpp).

namespace optinc {

/// Text of one or several lines on standard output. Throws std::system_error where that takes nothing.
void print_text(std::string_view text);

/// JSON for print_text: indented, with a line end; what is no UTF-8 is replaced.
std::string json_text(const nlohmann::ordered_json& json);

/// "optinc: TEXT", one line on standard error; where that is closed there is nobody to tell. Of a text beyond
/// 2,400 bytes, as one with a name of megabytes, the middle is left out.
void complain(std::string_view text);

}  // namespace optinc
