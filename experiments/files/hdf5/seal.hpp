#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

namespace optinc {

/// Puts a seal behind the bytes of a file: 8 bytes "OPTINCS1" and the CRC-32 (uint32, little-endian) of all
/// that stands before them. HDF5 looks at nothing behind its own end, and cuts the seal off when it changes the
/// file.
void seal(std::vector<std::byte>& bytes);

/// Throws Error where a sealed file is not what was sealed: HDF5 alone does not notice most flipped bits, and
/// some crash it. A file without a seal, cut short or from elsewhere, passes: HDF5 says what is wrong with it.
void require_unbroken_seal(const std::filesystem::path& path);

}  // namespace optinc
