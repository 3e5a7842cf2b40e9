#pragma once

#include <cstddef>
#include <vector>

#include <cuda_runtime_api.h>

#include "physics/gpu/check_cuda.hpp"

namespace optinc::gpu {

/// Memory on the GPU that grows as it is needed and is never copied.
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  DeviceArray(DeviceArray&& other) noexcept { swap(other); }
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    swap(other);
    return *this;
  }
  ~DeviceArray() { cudaFree(data_); }

  /// Room for `count` values, of which none is kept where that is more than there was.
  T* reserve(std::size_t count) {
    if (count <= room_) return data_;
    cudaFree(data_);
    data_ = nullptr;
    room_ = 0;
    check(cudaMalloc(reinterpret_cast<void**>(&data_), count * sizeof(T)), "memory");
    room_ = count;
    return data_;
  }
  /// Copies from the host.
  T* set(const T* from, std::size_t count) {
    reserve(count);
    check(cudaMemcpy(data_, from, count * sizeof(T), cudaMemcpyHostToDevice), "a copy to it");
    return data_;
  }
  /// Copies from the host.
  T* set(const std::vector<T>& from) { return set(from.data(), from.size()); }
  /// Copies to the host, when all that was launched is done.
  void get(T* to, std::size_t count, std::size_t from = 0) const {
    check(cudaMemcpy(to, data_ + from, count * sizeof(T), cudaMemcpyDeviceToHost), "a copy from it");
  }
  /// Copies what lies on the GPU already.
  void copy(const DeviceArray& from, std::size_t first, std::size_t count) {
    check(cudaMemcpy(reserve(count), from.data_ + first, count * sizeof(T), cudaMemcpyDeviceToDevice),
          "a copy within it");
  }
  /// Where it lies on the GPU; null where there is none.
  T* data() const { return data_; }

 private:
  void swap(DeviceArray& other) {
    std::swap(data_, other.data_);
    std::swap(room_, other.room_);
  }

  T* data_ = nullptr;
  std::size_t room_ = 0;
};

}  // namespace optinc::gpu
