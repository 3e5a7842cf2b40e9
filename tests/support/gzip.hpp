#pragma once

#include <filesystem>
#include <string>

#include <zlib.h>

#include "tests/support/catch.hpp"

namespace optinc {

/// Writes a gzipped file.
inline void put_gzipped(const std::filesystem::path& path, const std::string& bytes) {
  const gzFile file = gzopen(path.c_str(), "wb9");
  REQUIRE(file != nullptr);
  REQUIRE(gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size())) == static_cast<int>(bytes.size()));
  REQUIRE(gzclose(file) == Z_OK);
}

}  // namespace optinc
