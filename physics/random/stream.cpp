#include "physics/random/stream.hpp"

#include <algorithm>

#include <Random123/philox.h>

#include "physics/core/check.hpp"
#include "physics/random/detail/normal_kernel.hpp"

namespace optinc {
namespace {

using Philox = r123::Philox4x32;

std::array<std::uint32_t, 4> philox(const std::array<std::uint32_t, 4>& counter,
                                    const std::array<std::uint32_t, 2>& key) {
  const Philox::ctr_type c = {{counter[0], counter[1], counter[2], counter[3]}};
  const Philox::key_type k = {{key[0], key[1]}};
  const Philox::ctr_type r = Philox{}(c, k);
  return {r[0], r[1], r[2], r[3]};
}

}  // namespace

Stream::Stream(std::uint64_t seed, Purpose purpose, std::uint32_t chip, std::uint32_t trial,
               std::uint32_t part) {
  const auto low = static_cast<std::uint32_t>(seed), high = static_cast<std::uint32_t>(seed >> 32);
  // A fixed key of its own separates key derivation from the streams it feeds ("OptI", "NC01" in ASCII).
  const auto derived = philox({low, high, static_cast<std::uint32_t>(purpose), 0}, {0x4f707449u, 0x4e433031u});
  key_ = {derived[0], derived[1]};
  counter_ = {0, part, trial, chip};
}

std::uint32_t Stream::bits() {
  if (used_ == 4) {
    block_ = philox(counter_, key_);
    used_ = 0;
    skip_blocks(1);
  }
  return block_[used_++];
}

double Stream::uniform() { return (static_cast<double>(bits()) + 0.5) * 0x1p-32; }

double Stream::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_normal_;
  }
  pair_[0] = bits();
  pair_[1] = bits();
  std::array<double, 2> normals;
  box_muller(pair_, normals);
  spare_normal_ = normals[1];
  has_spare_ = true;
  return normals[0];
}

std::uint32_t Stream::below(std::uint32_t n) {
  return static_cast<std::uint32_t>((static_cast<std::uint64_t>(bits()) * n) >> 32);
}

void Stream::normals(std::span<double> out) { fill(out); }
void Stream::normals(std::span<float> out) { fill(out); }

void Stream::draw(double& out) { out = normal(); }

void Stream::draw(float& out) {
  const bool second = has_spare_;
  normal();  // moves the stream; a later draw in double finds its spare there
  std::array<float, 2> normals;
  box_muller(pair_, normals);
  out = normals[second ? 1 : 0];
}

template <class Real>
void Stream::fill(std::span<Real> out) {
  const auto take = [&out](std::size_t count) {
    const auto taken = out.first(count);
    out = out.subspan(count);
    return taken;
  };
  if (has_spare_ && !out.empty()) draw(take(1)[0]);
  if (used_ == 2)  // to the end of a block
    for (int k = 0; k < 2 && !out.empty(); ++k) draw(take(1)[0]);
  if (used_ == 4 && out.size() >= 4) {
    const std::size_t blocks = out.size() / 4;
    philox_normals(key_, counter_, take(4 * blocks));
    skip_blocks(blocks);
  }
  // after an odd number of words pairs straddle blocks: words first, normals from them
  std::array<std::uint32_t, 256> buffer;
  while (out.size() >= 2) {
    const auto pairs = std::span(buffer).first(std::min(out.size() / 2 * 2, buffer.size()));
    words(pairs);
    box_muller(pairs, take(pairs.size()));
  }
  if (!out.empty()) draw(out[0]);
}

void Stream::words(std::span<std::uint32_t> out) {
  while (used_ < 4 && !out.empty()) {
    out[0] = bits();
    out = out.subspan(1);
  }
  const std::size_t blocks = out.size() / 4;
  if (blocks > 0) philox_words(key_, counter_, out.first(4 * blocks));
  skip_blocks(blocks);
  for (std::uint32_t& word : out.subspan(4 * blocks)) word = bits();
}

void Stream::skip_blocks(std::uint64_t count) {
  const std::uint64_t position = counter_[0] + count;
  validate(position >> 32 == 0,
           "a random stream of more than 2^34 words (the next one begins there). Draw fewer.");
  counter_[0] = static_cast<std::uint32_t>(position);
}

}  // namespace optinc
