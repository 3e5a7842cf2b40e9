#pragma once

#include <cuda_runtime_api.h>

namespace optinc::gpu {

/// Throws Error where a call of CUDA failed; `what` was asked of the GPU.
void check(cudaError_t result, const char* what);

/// The same for the kernel that was launched last.
inline void check_launch() { check(cudaGetLastError(), "a kernel"); }

/// Waits until the GPU has done what was asked of it.
inline void wait() { check(cudaDeviceSynchronize(), "to be waited for"); }

}  // namespace optinc::gpu
