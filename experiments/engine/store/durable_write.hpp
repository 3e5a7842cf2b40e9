#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace optinc {

/// Writes all bytes to a new file `path` and returns once the disk has them (fsync). Throws Error when it does
/// not take them and where anything lies there, a link included; `shown` stands for the path in the message.
void write_durably(const std::filesystem::path& path, std::span<const std::byte> bytes, std::string_view shown);

}  // namespace optinc
