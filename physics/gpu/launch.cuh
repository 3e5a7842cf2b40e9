#pragma once

#include <cstddef>

namespace optinc::gpu {

/// Threads of a block, where a kernel does not need another number.
constexpr int threads = 256;

/// Blocks of so many threads for `count` of them, for each of `chips` chips.
inline dim3 grid(std::size_t count, int chips) {
  return dim3(static_cast<unsigned>((count + threads - 1) / threads), static_cast<unsigned>(chips));
}

}  // namespace optinc::gpu
