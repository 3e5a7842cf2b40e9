#include "physics/mesh/engine/field_blocks.hpp"

#include <algorithm>
#include <cstring>

#include "physics/mesh/engine/detail/block_width.hpp"
#include "physics/simd/detail/targets.hpp"

namespace optinc {

template <class Real>
std::size_t words_per_block(std::size_t ports, std::size_t words) {
  const std::size_t lanes = simd_lanes<Real>();
  return lanes * block_registers(processor(), ports, (words + lanes - 1) / lanes);
}

template <class Real>
FieldBlocks<Real>::FieldBlocks(std::size_t ports_, std::size_t words_)
    : FieldBlocks(ports_, words_, words_per_block<Real>(ports_, words_)) {}

template <class Real>
FieldBlocks<Real>::FieldBlocks(std::size_t ports_, std::size_t words_, std::size_t width_)
    : ports(ports_), words(words_), width(width_) {
  data.resize(blocks() * block_size());
}

template <class Real>
void pack(const FieldPlanes<const Real>& planes, std::size_t first, FieldBlocks<Real>& blocks) {
  const std::size_t width = blocks.width;
  for (std::size_t p = 0; p < blocks.ports; ++p)  // along a port: memory is read in order
    for (std::size_t w = 0; w < blocks.words; w += width) {
      const std::size_t count = std::min(width, blocks.words - w), from = p * planes.stride + first + w;
      Real* to = blocks.at(p, w);
      std::copy_n(planes.re + from, count, to);
      std::copy_n(planes.im + from, count, to + width);
      std::fill(to + count, to + width, Real(0));
      std::fill(to + width + count, to + 2 * width, Real(0));
    }
}

template <class Real>
void unpack(const FieldBlocks<Real>& blocks, const FieldPlanes<Real>& planes, std::size_t first) {
  const std::size_t width = blocks.width;
  for (std::size_t p = 0; p < blocks.ports; ++p)
    for (std::size_t w = 0; w < blocks.words; w += width) {
      const std::size_t count = std::min(width, blocks.words - w), to = p * planes.stride + first + w;
      const Real* from = blocks.at(p, w);
      std::copy_n(from, count, planes.re + to);
      std::copy_n(from + width, count, planes.im + to);
    }
}

namespace {

/// 16 bytes, in which every processor turns rows of words into rows of ports, by extensions of GCC and Clang.
typedef float Floats __attribute__((vector_size(16)));
typedef double Doubles __attribute__((vector_size(16)));

template <class Real>
constexpr std::size_t words_turned = 16 / sizeof(Real);

template <class Vector, class Real>
Vector read(const Real* from) {
  Vector v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

template <class Vector, class Real>
void write(Vector v, Real* to) {
  std::memcpy(to, &v, sizeof v);
}

/// Four words of two ports, rows `stride` apart, to where the first one's real part stands in its block.
void pack_words(const float* rows, std::size_t stride, float* to, std::size_t width) {
  const auto a = read<Floats>(rows), b = read<Floats>(rows + stride), c = read<Floats>(rows + 2 * stride),
             d = read<Floats>(rows + 3 * stride);
  const Floats ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), cd = __builtin_shufflevector(c, d, 0, 4, 1, 5),
               next_ab = __builtin_shufflevector(a, b, 2, 6, 3, 7),
               next_cd = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  write(Floats(__builtin_shufflevector(ab, cd, 0, 1, 4, 5)), to);
  write(Floats(__builtin_shufflevector(ab, cd, 2, 3, 6, 7)), to + width);
  write(Floats(__builtin_shufflevector(next_ab, next_cd, 0, 1, 4, 5)), to + 2 * width);
  write(Floats(__builtin_shufflevector(next_ab, next_cd, 2, 3, 6, 7)), to + 3 * width);
}

/// The same of two words of one port.
void pack_words(const double* rows, std::size_t stride, double* to, std::size_t width) {
  const auto a = read<Doubles>(rows), b = read<Doubles>(rows + stride);
  write(Doubles(__builtin_shufflevector(a, b, 0, 2)), to);
  write(Doubles(__builtin_shufflevector(a, b, 1, 3)), to + width);
}

/// The way back.
void unpack_words(const float* from, std::size_t width, float* rows, std::size_t stride) {
  const auto re = read<Floats>(from), im = read<Floats>(from + width), next_re = read<Floats>(from + 2 * width),
             next_im = read<Floats>(from + 3 * width);
  const Floats ab = __builtin_shufflevector(re, im, 0, 4, 1, 5),
               cd = __builtin_shufflevector(re, im, 2, 6, 3, 7),
               next_ab = __builtin_shufflevector(next_re, next_im, 0, 4, 1, 5),
               next_cd = __builtin_shufflevector(next_re, next_im, 2, 6, 3, 7);
  write(Floats(__builtin_shufflevector(ab, next_ab, 0, 1, 4, 5)), rows);
  write(Floats(__builtin_shufflevector(ab, next_ab, 2, 3, 6, 7)), rows + stride);
  write(Floats(__builtin_shufflevector(cd, next_cd, 0, 1, 4, 5)), rows + 2 * stride);
  write(Floats(__builtin_shufflevector(cd, next_cd, 2, 3, 6, 7)), rows + 3 * stride);
}

void unpack_words(const double* from, std::size_t width, double* rows, std::size_t stride) {
  const auto re = read<Doubles>(from), im = read<Doubles>(from + width);
  write(Doubles(__builtin_shufflevector(re, im, 0, 2)), rows);
  write(Doubles(__builtin_shufflevector(re, im, 1, 3)), rows + stride);
}

/// Ports whose numbers of one word are 16 bytes.
template <class Real>
constexpr std::size_t ports_turned = 8 / sizeof(Real);

}  // namespace

template <class Real>
void pack(const std::complex<Real>* rows, FieldBlocks<Real>& blocks) {
  const std::size_t width = blocks.width, ports = blocks.ports;
  const auto one = [&](std::size_t p, std::size_t w) {
    const std::complex<Real> field = w < blocks.words ? rows[w * ports + p] : std::complex<Real>{};
    blocks.at(p, w)[0] = field.real();
    blocks.at(p, w)[width] = field.imag();
  };
  std::size_t w = 0;
  for (; w + words_turned<Real> <= blocks.words; w += words_turned<Real>) {  // a block stays in the first cache
    const Real* const from = reinterpret_cast<const Real*>(rows + w * ports);
    Real* const to = blocks.at(0, w);
    std::size_t p = 0;
    for (; p + ports_turned<Real> <= ports; p += ports_turned<Real>)
      pack_words(from + 2 * p, 2 * ports, to + 2 * p * width, width);
    for (; p < ports; ++p)
      for (std::size_t i = w; i < w + words_turned<Real>; ++i) one(p, i);
  }
  for (; w < blocks.blocks() * width; ++w)
    for (std::size_t p = 0; p < ports; ++p) one(p, w);
}

template <class Real>
void unpack(const FieldBlocks<Real>& blocks, std::complex<Real>* rows) {
  const std::size_t width = blocks.width, ports = blocks.ports;
  const auto one = [&](std::size_t p, std::size_t w) {
    rows[w * ports + p] = {blocks.at(p, w)[0], blocks.at(p, w)[width]};
  };
  std::size_t w = 0;
  for (; w + words_turned<Real> <= blocks.words; w += words_turned<Real>) {
    const Real* const from = blocks.at(0, w);
    Real* const to = reinterpret_cast<Real*>(rows + w * ports);
    std::size_t p = 0;
    for (; p + ports_turned<Real> <= ports; p += ports_turned<Real>)
      unpack_words(from + 2 * p * width, width, to + 2 * p, 2 * ports);
    for (; p < ports; ++p)
      for (std::size_t i = w; i < w + words_turned<Real>; ++i) one(p, i);
  }
  for (; w < blocks.words; ++w)
    for (std::size_t p = 0; p < ports; ++p) one(p, w);
}

template std::size_t words_per_block<float>(std::size_t, std::size_t);
template std::size_t words_per_block<double>(std::size_t, std::size_t);
template struct FieldBlocks<float>;
template struct FieldBlocks<double>;
template void pack<float>(const FieldPlanes<const float>&, std::size_t, FieldBlocks<float>&);
template void pack<double>(const FieldPlanes<const double>&, std::size_t, FieldBlocks<double>&);
template void unpack<float>(const FieldBlocks<float>&, const FieldPlanes<float>&, std::size_t);
template void unpack<double>(const FieldBlocks<double>&, const FieldPlanes<double>&, std::size_t);
template void pack<float>(const std::complex<float>*, FieldBlocks<float>&);
template void pack<double>(const std::complex<double>*, FieldBlocks<double>&);
template void unpack<float>(const FieldBlocks<float>&, std::complex<float>*);
template void unpack<double>(const FieldBlocks<double>&, std::complex<double>*);

}  // namespace optinc
