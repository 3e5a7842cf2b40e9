#pragma once

#include <cstddef>
#include <string>

namespace optinc {

/// What the kernels find under them.
struct Processor {
  std::string simd_target;         ///< that they use: the best of the machine ("AVX3", "AVX2", "NEON", ..)
  std::size_t register_bytes = 0;  ///< of that target, filled with floats
  std::size_t l1d_bytes = 0;       ///< first-level data cache of a core; 0 where the system does not say
  std::size_t l2_bytes = 0;        ///< second-level cache; 0 where the system does not say
};

/// The processor of this machine. Results depend on its SIMD target by rounding, and on nothing else in it.
Processor processor();

}  // namespace optinc
