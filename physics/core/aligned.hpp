#pragma once

#include <vector>

#include <Eigen/Core>

namespace optinc {

/// A vector at a multiple of 64 bytes: a cache line, and the widest SIMD register there is. Eigen's allocator
/// cuts its memory from malloc's small pieces, which an aligned operator new of the C library passes by.
template <class T>
using AlignedVector = std::vector<T, Eigen::aligned_allocator<T>>;

static_assert(EIGEN_DEFAULT_ALIGN_BYTES == 64,
              "compile with -DEIGEN_MAX_ALIGN_BYTES=64, as CMakeLists.txt does");

}  // namespace optinc
