#pragma once

#include <cstdint>

namespace optinc::gpu {

/// What a GPU needs of a Stream: its key() and its coordinates but for the chip.
struct StreamKey {
  std::uint32_t key[2];
  std::uint32_t trial;
  std::uint32_t part;
};

}  // namespace optinc::gpu
