#pragma once

#include <span>
#include <string>
#include <string_view>

namespace optinc {

/// Opening comment lines of a text file of OptINC: signature, origin (file_origin), then `remarks`.
std::string text_header(char comment, std::string_view title, std::string_view command,
                        std::span<const std::string_view> remarks);

/// The closing line.
std::string text_footer(char comment);

}  // namespace optinc
