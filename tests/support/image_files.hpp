#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "physics/random/stream.hpp"

#include "tests/support/files.hpp"

namespace optinc {

/// An IDX file: magic number and sizes, big endian, then the data.
inline std::string idx(const std::vector<std::uint32_t>& header, const std::string& data) {
  std::string bytes;
  for (const std::uint32_t word : header)
    for (const unsigned shift : {24u, 16u, 8u, 0u}) bytes += static_cast<char>(word >> shift & 0xffu);
  return bytes + data;
}

/// Writes a data set under the names of Fashion-MNIST, not gzipped: so many images of 4 x 4 pixels of noise, of
/// four classes, each told by one bright pixel.
inline void put_images(const std::filesystem::path& folder, std::uint32_t train, std::uint32_t test) {
  std::filesystem::create_directories(folder);
  for (const auto& [name, count] : {std::pair{"train", train}, std::pair{"t10k", test}}) {
    Stream stream(71, Purpose::test, 0, count);
    std::string pixels, labels;
    for (std::uint32_t i = 0; i < count; ++i) {
      std::string image;
      for (int p = 0; p < 16; ++p) image += static_cast<char>(stream.below(128));
      const std::uint32_t label = stream.below(4);
      image[5 * label] = '\xff';
      labels += static_cast<char>(label);
      pixels += image;
    }
    put(folder / fmt::format("{}-images-idx3-ubyte.gz", name), idx({0x803, count, 4, 4}, pixels));
    put(folder / fmt::format("{}-labels-idx1-ubyte.gz", name), idx({0x801, count}, labels));
  }
}

}  // namespace optinc
