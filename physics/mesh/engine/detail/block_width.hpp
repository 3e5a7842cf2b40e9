#pragma once

#include <algorithm>

#include "physics/mesh/engine/detail/backward_kernel.hpp"
#include "physics/simd/processor.hpp"

namespace optinc {

/// Registers of words that a block of fields takes a port: two, which share every load of a factor; one where
/// the words fill no more than that; and one where registers are of 64 bytes and two overflow the first-level
/// cache while one leaves a quarter of it to the factors.
///
/// Time of one register over that of two, rows forward_blocks_narrow and forward_blocks_wide:
///
///     bench_optinc --benchmark_filter='^forward_blocks_(narrow|wide)' --benchmark_repetitions=9
///
/// | ports                         |   16 |   64 |  128 |  256 |
/// |-------------------------------|------|------|------|------|
/// | AVX-512, Zen 4, 32 KiB L1d    | 1.04 | 1.02 | 1.01 | 1.03 |
/// | AVX-512, Xeon, 48 KiB L1d     | 1.12 | 1.08 |      | 0.68 |
/// | AVX2, Zen 4                   | 1.26 | 1.28 | 1.28 | 1.24 |
///
/// float, 1,024 words, least of 14 repetitions on a machine that others used; double differs by no more than
/// 0.05. The Xeon: least of 10. On Zen 4, four registers took 1.14 to 1.33 times as long as two at every size
/// and on both targets: what a pair of columns carries no longer fits the registers.
inline std::size_t block_registers(const Processor& processor, std::size_t ports,
                                   std::size_t registers_of_words) {
  if (registers_of_words <= 1) return 1;
  const std::size_t narrow = 2 * ports * processor.register_bytes;  // a block of one register
  const bool one_fits = narrow <= processor.l1d_bytes / 4 * 3, two_fit = 2 * narrow <= processor.l1d_bytes;
  return processor.register_bytes == 64 && one_fits && !two_fit ? 1 : 2;
}

/// Ports whose fields and adjoint fields walk back together (walk_back()): three quarters of the first-level
/// cache, less what the moving border adds. All of them where they fit.
inline std::size_t backward_tile(const Processor& processor, std::size_t ports) {
  const std::size_t cache = processor.l1d_bytes > 0 ? processor.l1d_bytes : std::size_t{32} << 10;
  const std::size_t port = 2 * 2 * registers_at_once * processor.register_bytes, fit = cache / 4 * 3 / port;
  return ports <= fit ? ports : std::max(fit, 2 * columns_at_once) - columns_at_once;
}

}  // namespace optinc
