#include <algorithm>

#include <cuda_runtime.h>

#include "bench/gpu/gpu_peak.hpp"

namespace optinc::bench {
namespace {

template <class Real>
__global__ void multiply_add(Real a, Real b, int rounds, Real* out) {
  Real x[8];
  for (int i = 0; i < 8; ++i) x[i] = static_cast<Real>(threadIdx.x + i);
  for (int round = 0; round < rounds; ++round)
#pragma unroll
    for (int i = 0; i < 8; ++i) x[i] = fma(x[i], a, b);
  Real sum = 0;
  for (int i = 0; i < 8; ++i) sum += x[i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/// Seconds that `launch` takes, the best of five.
template <class Launch>
double seconds(Launch launch) {
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  launch();
  double best = 1e30;
  for (int i = 0; i < 5; ++i) {
    cudaEventRecord(begin);
    launch();
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float ms = 0;
    cudaEventElapsedTime(&ms, begin, end);
    best = std::min(best, ms * 1e-3);
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return best;
}

template <class Real>
double fma_per_s() {
  constexpr int blocks = 132 * 16, threads = 256, rounds = 4096;
  Real* out = nullptr;
  cudaMalloc(&out, sizeof(Real) * blocks * threads);
  const double s =
      seconds([&] { multiply_add<Real><<<blocks, threads>>>(Real(0.999), Real(0.5), rounds, out); });
  cudaFree(out);
  return 8.0 * rounds * blocks * threads / s;
}

}  // namespace

GpuPeaks measure_gpu_peaks() {
  constexpr std::size_t bytes = std::size_t{1} << 30;
  char *from = nullptr, *to = nullptr;
  cudaMalloc(&from, bytes);
  cudaMalloc(&to, bytes);
  const double s = seconds([&] { cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice); });
  cudaFree(from);
  cudaFree(to);
  return {fma_per_s<float>(), fma_per_s<double>(), 2.0 * bytes / s};
}

}  // namespace optinc::bench
