#pragma once

#include <array>
#include <cstdint>

namespace optinc {

/// Key and counter of Philox4x32-10 (Salmon et al. 2011).
using PhiloxKey = std::array<std::uint32_t, 2>;
using PhiloxCounter = std::array<std::uint32_t, 4>;

/// Where a run of Philox blocks begins, and the key of each of the ten rounds, every 32-bit word in 64 bits as
/// the kernel takes it. Made once per run and outside of the kernel: there a round's key is an operand in
/// memory, whereas one computed in place costs an instruction to get it into a vector, in every round of every
/// block.
struct PhiloxStart {
  std::uint64_t position;  ///< first two words of the counter, low word first; blocks count it up
  std::uint64_t word2, word3;
  std::array<std::uint64_t, 10> key0, key1;
};

/// Start at counter `first`. The key grows by the Weyl constants of the paper from round to round.
inline PhiloxStart philox_start(const PhiloxKey& key, const PhiloxCounter& first) {
  PhiloxStart start{(std::uint64_t{first[1]} << 32) | first[0], first[2], first[3], {}, {}};
  for (std::uint32_t round = 0; round < 10; ++round) {
    start.key0[round] = key[0] + round * 0x9E3779B9u;
    start.key1[round] = key[1] + round * 0xBB67AE85u;
  }
  return start;
}

}  // namespace optinc
