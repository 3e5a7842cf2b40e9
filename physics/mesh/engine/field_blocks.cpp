#include "physics/mesh/engine/field_blocks.hpp"

#include <algorithm>

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

template <class Real>
void pack(const std::complex<Real>* rows, FieldBlocks<Real>& blocks) {
  const std::size_t width = blocks.width, ports = blocks.ports;
  for (std::size_t w = 0; w < blocks.words; ++w) {  // a block stays in the first cache
    Real* const to = blocks.at(0, w);
    for (std::size_t p = 0; p < ports; ++p) {
      to[2 * p * width] = rows[w * ports + p].real();
      to[(2 * p + 1) * width] = rows[w * ports + p].imag();
    }
  }
  for (std::size_t w = blocks.words; w < blocks.blocks() * width; ++w)
    for (std::size_t p = 0; p < ports; ++p) blocks.at(p, w)[0] = blocks.at(p, w)[width] = Real(0);
}

template <class Real>
void unpack(const FieldBlocks<Real>& blocks, std::complex<Real>* rows) {
  const std::size_t width = blocks.width, ports = blocks.ports;
  for (std::size_t w = 0; w < blocks.words; ++w) {
    const Real* const from = blocks.at(0, w);
    for (std::size_t p = 0; p < ports; ++p)
      rows[w * ports + p] = {from[2 * p * width], from[(2 * p + 1) * width]};
  }
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
