#pragma once

#include <cstddef>
#include <cstdint>

#include "physics/gpu/stream_key.hpp"

namespace optinc::gpu {

constexpr int most_digits = 16;

/// ReadoutNoise of onn/link, of an output.
struct ReadoutNoise {
  double bias, white, shot, intensity, leak;
};

/// A ResponseTable on the GPU; pointers are to its memory.
struct Table {
  int servers = 0, digits = 0;
  std::uint32_t words = 0;
  std::uint32_t draws = 0;  ///< before_readout
  bool noisy = false;
  double step = 0.0, full_scale = 0.0;     ///< of the converter; step 0: none
  const std::uint32_t* share = nullptr;    ///< what each code adds to the number of its word
  const std::uint32_t* decided = nullptr;  ///< (words)
  const std::uint32_t* moving = nullptr;   ///< (words)
  const float* reach = nullptr;            ///< (words)
  const float* outputs = nullptr;          ///< (words, digits)
  const float* before_readout = nullptr;   ///< (draws, words, digits)
  ReadoutNoise readout[most_digits] = {};
};

/// Looks words up, blocks of table_block_words: block b draws from the stream of trial key.trial + b.
void send_by_table(const Table& table, const std::uint32_t* codes, std::size_t words, const StreamKey& key,
                   std::uint32_t chip, std::uint32_t* answers);

}  // namespace optinc::gpu
