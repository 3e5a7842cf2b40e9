#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace optinc {

/// Allocates at multiples of 64 bytes: a cache line, and the widest SIMD register there is.
template <class T>
struct AlignedAllocator {
  using value_type = T;
  static constexpr std::align_val_t alignment{64};

  AlignedAllocator() = default;
  /// Any two share their memory.
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}

  /// Room for `count` values, aligned to `alignment` bytes.
  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), alignment)); }
  /// Gives it back.
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, alignment); }
  bool operator==(const AlignedAllocator&) const { return true; }
};

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

}  // namespace optinc
