#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace optinc {

/// Names of all devices that ship with their numbers, for completion.
std::vector<std::string> device_names();

/// All devices in a table (`name` empty), or one with its numbers, where they come from and the C++ that makes
/// it. Text for a person: numbers with the prefix of their size. Throws Error for an unknown name.
std::string devices_text(std::string_view name);

/// The same for scripts, one JSON object: {"devices": [...]}, or one device; values in SI.
std::string devices_json(std::string_view name);

}  // namespace optinc
