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

/// A ResponseTable on the GPU, or those of several chips, one behind the other; pointers are to its memory.
struct Table {
  int servers = 0, digits = 0;
  std::uint32_t words = 0;
  std::uint32_t draws = 0;  ///< before_readout
  bool noisy = false;
  double step = 0.0, full_scale = 0.0;   ///< of the converter; step 0: none
  const std::uint32_t* share = nullptr;  ///< what each code adds to the number of its word
  std::uint32_t* decided = nullptr;      ///< (words)
  std::uint32_t* moving = nullptr;       ///< (words)
  float* reach = nullptr;                ///< (words)
  float* outputs = nullptr;              ///< (words, digits)
  float* before_readout = nullptr;       ///< (draws, words, digits)
  ReadoutNoise readout[most_digits] = {};
};

/// The tables of several chips from number `chip` on.
constexpr Table of_chip(Table t, std::size_t chip) {
  const std::size_t words = t.words, cells = words * static_cast<std::size_t>(t.digits);
  t.decided += chip * words;
  t.moving += chip * words;
  t.reach += chip * words;
  t.outputs += chip * cells;
  t.before_readout += chip * cells * t.draws;
  return t;
}

/// Looks words up, blocks of table_block_words: block b draws from the stream of trial key.trial + b. `chips`
/// tables, of chips `chip`, `chip` + 1, ..; answers (chips, words).
void send_by_table(const Table& table, const std::uint32_t* codes, std::size_t words, const StreamKey& key,
                   std::uint32_t chip, int chips, std::uint32_t* answers);

/// Outputs and decided codes of words `first`, `first` + 1, .., from values in digits, (chips, words, digits).
void set_outputs(const Table& table, const double* values, std::uint32_t first, int words, int chips);
/// before_readout of draw `draw` from what its noise left of those words, (chips, words, digits).
void set_before_readout(const Table& table, const double* values, std::uint32_t draw, std::uint32_t first,
                        int words, int chips);
/// find_reach() of all words.
void find_reach(const Table& table, int chips);

/// Of each chip how many of its answers, (chips, words), are not those of all, (words); adds to `wrong`
/// (chips).
void count_wrong(const std::uint32_t* answers, const std::uint32_t* expected, std::size_t words, int chips,
                 unsigned long long* wrong);

}  // namespace optinc::gpu
