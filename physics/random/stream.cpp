#include "physics/random/stream.hpp"

#include <cmath>

#include <Random123/philox.h>

#include "physics/core/units.hpp"

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

Stream::Stream(std::uint64_t seed, Purpose purpose, std::uint32_t chip, std::uint32_t trial) {
  const auto low = static_cast<std::uint32_t>(seed), high = static_cast<std::uint32_t>(seed >> 32);
  // A fixed key of its own separates key derivation from the streams it feeds ("OptI", "NC01" in ASCII).
  const auto derived = philox({low, high, static_cast<std::uint32_t>(purpose), 0}, {0x4f707449u, 0x4e433031u});
  key_ = {derived[0], derived[1]};
  counter_ = {0, 0, trial, chip};
}

std::uint32_t Stream::bits() {
  if (used_ == 4) {
    block_ = philox(counter_, key_);
    used_ = 0;
    if (++counter_[0] == 0) ++counter_[1];
  }
  return block_[used_++];
}

double Stream::uniform() { return (static_cast<double>(bits()) + 0.5) * 0x1p-32; }

double Stream::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_normal_;
  }
  const double radius = std::sqrt(-2.0 * std::log(uniform()));
  const double angle = 2.0 * constants::pi * uniform();
  spare_normal_ = radius * std::sin(angle);
  has_spare_ = true;
  return radius * std::cos(angle);
}

std::uint32_t Stream::below(std::uint32_t n) {
  return static_cast<std::uint32_t>((static_cast<std::uint64_t>(bits()) * n) >> 32);
}

void Stream::normals(std::span<double> out) {
  for (double& x : out) x = normal();
}

}  // namespace optinc
