#pragma once

namespace optinc::bench {

/// What the GPU does at its best, measured: the ceilings that rates are shares of.
struct GpuPeaks {
  double f32_fma_per_s = 0;  ///< fused multiply-adds in registers, eight independent chains a thread
  double f64_fma_per_s = 0;
  double copy_byte_per_s = 0;  ///< a copy of 1 GiB within its memory, bytes read and bytes written
};

/// Measures them: the best of five.
GpuPeaks measure_gpu_peaks();

}  // namespace optinc::bench
