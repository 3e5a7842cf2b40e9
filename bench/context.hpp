#pragma once

#include <cstddef>

#include "bench/fma_peak.hpp"

namespace optinc::bench {

/// Writes into the context of the run (head of the console output, "context" of the JSON) what two runs must
/// share to be compared: processor, compiler, flags, build type, revision, SIMD targets; and the peaks.
void add_context(const Peaks& peaks);

/// Size of the buffer that stands for the second cache, bytes: half of it, or 512 KiB where its size is
/// unknown.
std::size_t l2_buffer_bytes();

}  // namespace optinc::bench
