#pragma once

#include <cstddef>
#include <string>

namespace optinc::bench {

/// What one core does at its best, measured at the SIMD target that is in use (use_simd_target()): the ceilings
/// that rates are shares of.
struct Peaks {
  std::string
      simd_target;  ///< "AVX3", "AVX2", ..: what both kernels and the simulator's own were dispatched to
  double f32_flop_per_s = 0;  ///< fused multiply-adds on 12 independent registers, 2 flop a lane
  double f64_flop_per_s = 0;
  double l1_byte_per_s = 0;     ///< reading 16 KiB again and again, which every first-level cache holds
  double store_byte_per_s = 0;  ///< writing them again and again
  double l2_byte_per_s = 0;     ///< reading `l2_buffer_bytes` again and again
  std::size_t l2_buffer_bytes = 0;

  double flop_per_s(float) const { return f32_flop_per_s; }
  double flop_per_s(double) const { return f64_flop_per_s; }
};

/// Measures them: medians of 9 samples of some milliseconds of CPU time each, about 0.2 s in all. The buffer
/// read is `l2_buffer_bytes` long, rounded up to whole registers: larger than the first cache, smaller than the
/// second. A core whose SIMD target has no FMA shows what multiplications and additions in turn reach.
Peaks measure_peaks(std::size_t l2_buffer_bytes);

}  // namespace optinc::bench
