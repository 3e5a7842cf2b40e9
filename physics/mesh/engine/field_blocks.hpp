#pragma once

#include <complex>
#include <cstddef>

#include "physics/core/aligned.hpp"

// No Eigen in here: see mesh_layout.hpp.

namespace optinc {

/// Words of a block that suits so many words on so many ports: two SIMD registers of them, or one where one is
/// enough, and where registers are wide and two would not leave the first-level cache any room (see
/// block_registers()). Results have the same bits whatever the width.
template <class Real>
std::size_t words_per_block(std::size_t ports, std::size_t words);

/// Fields of many words on many ports as the kernels keep them: blocks of one or two SIMD registers of words,
/// [block][port][re, im][word of the block], so that all that a block needs lies together. Words beyond the
/// last one, up to the end of its block, are zero. What propagates through several meshes stays in this form
/// and is never copied.
template <class Real>
struct FieldBlocks {
  std::size_t ports = 0, words = 0;
  std::size_t width = 0;  ///< words of a block
  AlignedVector<Real> data;

  FieldBlocks() = default;
  /// Fields that are zero, in blocks of words_per_block().
  FieldBlocks(std::size_t ports, std::size_t words);
  /// The same in blocks of `width` words: one or two registers of the SIMD target in use, which the kernels
  /// check.
  FieldBlocks(std::size_t ports, std::size_t words, std::size_t width);

  /// Blocks of `width` words that hold all words.
  std::size_t blocks() const { return width == 0 ? 0 : (words + width - 1) / width; }
  /// Numbers of one block.
  std::size_t block_size() const { return 2 * ports * width; }
  /// Start of block b.
  Real* block(std::size_t b) { return data.data() + b * block_size(); }
  /// Start of block b.
  const Real* block(std::size_t b) const { return data.data() + b * block_size(); }
  /// Real part of one field; the imaginary part lies `width` behind.
  Real* at(std::size_t port, std::size_t word) { return block(word / width) + port * 2 * width + word % width; }
  /// Where the real part of one field stands.
  const Real* at(std::size_t port, std::size_t word) const {
    return block(word / width) + port * 2 * width + word % width;
  }
};

/// Two planes of fields: port p's words at re + p stride and im + p stride.
template <class Real>
struct FieldPlanes {
  Real* re;
  Real* im;
  std::size_t stride;
};

/// Copies words first .. of the planes into blocks, as many as these hold, and zeros behind them.
template <class Real>
void pack(const FieldPlanes<const Real>& planes, std::size_t first, FieldBlocks<Real>& blocks);

/// The way back.
template <class Real>
void unpack(const FieldBlocks<Real>& blocks, const FieldPlanes<Real>& planes, std::size_t first);

/// Copies fields that lie word by word, `rows` (words, ports), into blocks of as many words, and zeros behind
/// them.
template <class Real>
void pack(const std::complex<Real>* rows, FieldBlocks<Real>& blocks);

/// The way back.
template <class Real>
void unpack(const FieldBlocks<Real>& blocks, std::complex<Real>* rows);

}  // namespace optinc
