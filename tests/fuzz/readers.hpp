#pragma once

#include <filesystem>

namespace optinc::fuzz {

/// Whatever this program reads of an HDF5 file, one reader after the other.
void read_everything(const std::filesystem::path& path);

}  // namespace optinc::fuzz
