#include "physics/simd/processor.hpp"

#include <unistd.h>

#include "physics/simd/detail/targets.hpp"

namespace optinc {
namespace {

/// A size that sysconf knows, bytes; 0 where it does not.
std::size_t bytes_of(int name) {
  const long size = sysconf(name);
  return size > 0 ? static_cast<std::size_t>(size) : 0;
}

}  // namespace

Processor processor() {
  Processor found;
  found.simd_target = chosen_simd_target();
  found.register_bytes = simd_lanes<float>() * sizeof(float);
#ifdef _SC_LEVEL1_DCACHE_SIZE
  static const std::size_t l1d = bytes_of(_SC_LEVEL1_DCACHE_SIZE), l2 = bytes_of(_SC_LEVEL2_CACHE_SIZE);
  found.l1d_bytes = l1d;
  found.l2_bytes = l2;
#endif
  return found;
}

}  // namespace optinc
