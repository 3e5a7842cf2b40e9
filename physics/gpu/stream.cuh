#pragma once

#include <cstdint>

#include <Random123/philox.h>

#include "physics/gpu/stream_key.hpp"
#include "physics/random/detail/box_muller_series.hpp"

namespace optinc::gpu {

// Rounded one by one, with no fused multiply-add, to give the bits of physics/random/detail/normal_kernel.cpp.
__device__ inline double add(double a, double b) { return __dadd_rn(a, b); }
__device__ inline float add(float a, float b) { return __fadd_rn(a, b); }
__device__ inline double mul(double a, double b) { return __dmul_rn(a, b); }
__device__ inline float mul(float a, float b) { return __fmul_rn(a, b); }

/// c0 + x (c1 + x (c2 + ..))
template <class Real, std::size_t count>
__device__ Real horner(Real x, const std::array<Real, count> c) {
  Real sum = c[count - 1];
#pragma unroll
  for (int i = static_cast<int>(count) - 2; i >= 0; --i) sum = add(c[i], mul(x, sum));
  return sum;
}

/// Cosine and sine from their values at the distance from the nearest axis; the first two bits number the axis.
template <class Real>
__device__ void turn_to_quadrant(std::uint32_t turned, Real& cosine, Real& sine) {
  const Real c = turned & 0x40000000u ? sine : cosine, s = turned & 0x40000000u ? cosine : sine;
  cosine = (turned ^ (turned << 1)) & 0x80000000u ? -c : c;
  sine = turned & 0x80000000u ? -s : s;
}

/// Two normals from two random words: box_muller() of physics/random/detail/normal_kernel.hpp.
__device__ inline void box_muller(std::uint32_t a, std::uint32_t b, double& cosine, double& sine) {
  constexpr auto logarithm = BoxMullerSeries<double>::logarithm;
  constexpr auto sines = BoxMullerSeries<double>::sine;
  constexpr auto cosines = BoxMullerSeries<double>::cosine;
  constexpr long long one_to_two = 0x3ff0000000000000;
  const double u =
      add(__longlong_as_double(static_cast<long long>(std::uint64_t{a} << 20) | one_to_two), -(1 - 0x1p-33));
  const long long bits = __double_as_longlong(u);
  const double m = __longlong_as_double((bits & 0x000fffffffffffff) | 0x3fe0000000000000);
  const double e = add(__longlong_as_double((bits >> 52) | 0x4330000000000000), -(0x1p52 + 1022));
  const double t = __ddiv_rn(add(m, -1.0), add(m, 1.0));
  const double radius = __dsqrt_rn(add(mul(e, -1.3862943611198906), mul(t, horner(mul(t, t), logarithm))));

  const std::uint32_t turned = b + (1u << 29);
  const double x =
      add(__longlong_as_double(static_cast<long long>(std::uint64_t{turned << 2} << 20) | one_to_two),
          -(1.5 - 0x1p-31));
  const double z = mul(x, x);
  sine = mul(x, horner(z, sines));
  cosine = horner(z, cosines);
  turn_to_quadrant(turned, cosine, sine);
  cosine = mul(radius, cosine);
  sine = mul(radius, sine);
}

__device__ inline void box_muller(std::uint32_t a, std::uint32_t b, float& cosine, float& sine) {
  constexpr auto logarithm = BoxMullerSeries<float>::logarithm;
  constexpr auto sines = BoxMullerSeries<float>::sine;
  constexpr auto cosines = BoxMullerSeries<float>::cosine;
  const bool upper = a & 0x80000000u;  // u >= 1/2
  const float y = add(__int2float_rn(static_cast<int>(upper ? ~a : a)), 0.5f);
  const int bits = __float_as_int(y);
  const float m = __int_as_float((bits & 0x007fffff) | 0x3f000000);
  const float e = upper ? 0.0f : add(__int2float_rn(bits >> 23), -(126.0f + 32));
  const float f = upper ? mul(y, -0x1p-32f) : add(m, -1.0f);
  const float radius = __fsqrt_rn(add(mul(e, -1.38629436f), mul(f, horner(f, logarithm))));

  const float x = mul(add(__int2float_rn(static_cast<int>(b << 2)), 2.0f), 0x1p-32f), z = mul(x, x);
  sine = mul(x, horner(z, sines));
  cosine = horner(z, cosines);
  turn_to_quadrant(b + (1u << 29), cosine, sine);
  cosine = mul(radius, cosine);
  sine = mul(radius, sine);
}

/// Words 4 block .. 4 block + 3 of a stream.
__device__ inline r123::Philox4x32::ctr_type block_of_words(const StreamKey& key, std::uint32_t chip,
                                                            std::uint32_t block) {
  const r123::Philox4x32::ctr_type counter = {{block, key.part, key.trial, chip}};
  const r123::Philox4x32::key_type keys = {{key.key[0], key.key[1]}};
  return r123::Philox4x32{}(counter, keys);
}

/// The four normals of one block of a stream.
template <class Real>
__device__ void block_of_normals(const StreamKey& key, std::uint32_t chip, std::uint32_t block, Real (&n)[4]) {
  const r123::Philox4x32::ctr_type words = block_of_words(key, chip, block);
  box_muller(words[0], words[1], n[0], n[1]);
  box_muller(words[2], words[3], n[2], n[3]);
}

/// Normals `first` .. `first` + 3 of a stream.
template <class Real>
__device__ void four_normals(const StreamKey& key, std::uint32_t chip, std::uint32_t first, Real (&n)[4]) {
  Real low[4];
  block_of_normals(key, chip, first / 4, low);
  const std::uint32_t skip = first % 4;
  if (skip == 0) {
    for (int i = 0; i < 4; ++i) n[i] = low[i];
    return;
  }
  Real high[4];
  block_of_normals(key, chip, first / 4 + 1, high);
  n[0] = skip == 1 ? low[1] : skip == 2 ? low[2] : low[3];
  n[1] = skip == 1 ? low[2] : skip == 2 ? low[3] : high[0];
  n[2] = skip == 1 ? low[3] : skip == 2 ? high[0] : high[1];
  n[3] = skip == 1 ? high[0] : skip == 2 ? high[1] : high[2];
}

/// Stream (physics/random/stream.hpp) of one thread, after its first `used` words.
class SequentialStream {
 public:
  __device__ SequentialStream(const StreamKey& key, std::uint32_t chip, std::uint32_t used)
      : key_(key), chip_(chip), position_(used) {
    if (used % 4 != 0) block_ = block_of_words(key, chip, used / 4);
  }
  __device__ std::uint32_t bits() {
    if (position_ % 4 == 0) block_ = block_of_words(key_, chip_, position_ / 4);
    const std::uint32_t at = position_++ % 4;
    return at == 0 ? block_[0] : at == 1 ? block_[1] : at == 2 ? block_[2] : block_[3];
  }
  __device__ double uniform() { return (bits() + 0.5) * 0x1p-32; }
  __device__ std::uint32_t below(std::uint32_t n) {
    return static_cast<std::uint32_t>((std::uint64_t{bits()} * n) >> 32);
  }
  __device__ double normal() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    const std::uint32_t a = bits(), b = bits();
    double first;
    box_muller(a, b, first, spare_);
    has_spare_ = true;
    return first;
  }

 private:
  StreamKey key_;
  std::uint32_t chip_, position_;
  r123::Philox4x32::ctr_type block_;
  double spare_ = 0.0;
  bool has_spare_ = false;
};

}  // namespace optinc::gpu
