#include "bench/fma_peak.hpp"

#include <algorithm>
#include <cstdint>

#include "bench/timing.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/fma_peak.cpp"
#include <hwy/aligned_allocator.h>
#include <hwy/foreach_target.h>  // this file once more for every SIMD target
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace optinc::bench {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// 12 chains of x <- a x + b: two a cycle at a latency of four need eight, twelve leave room and still fit 16
/// registers. Returns the flop done. With |a| < 1 no chain leaves the normal numbers.
template <class T>
HWY_NOINLINE double FmaChains(std::size_t rounds, T a_value, T b_value, T& sink) {
  const hn::ScalableTag<T> d;
  const auto a = hn::Set(d, a_value), b = hn::Set(d, b_value);
  auto x0 = hn::Set(d, static_cast<T>(0.1)), x1 = hn::Add(x0, x0), x2 = hn::Add(x1, x0), x3 = hn::Add(x2, x0),
       x4 = hn::Add(x3, x0), x5 = hn::Add(x4, x0), x6 = hn::Add(x5, x0), x7 = hn::Add(x6, x0),
       x8 = hn::Add(x7, x0), x9 = hn::Add(x8, x0), x10 = hn::Add(x9, x0), x11 = hn::Add(x10, x0);
  for (std::size_t i = 0; i < rounds; ++i) {
    x0 = hn::MulAdd(x0, a, b);
    x1 = hn::MulAdd(x1, a, b);
    x2 = hn::MulAdd(x2, a, b);
    x3 = hn::MulAdd(x3, a, b);
    x4 = hn::MulAdd(x4, a, b);
    x5 = hn::MulAdd(x5, a, b);
    x6 = hn::MulAdd(x6, a, b);
    x7 = hn::MulAdd(x7, a, b);
    x8 = hn::MulAdd(x8, a, b);
    x9 = hn::MulAdd(x9, a, b);
    x10 = hn::MulAdd(x10, a, b);
    x11 = hn::MulAdd(x11, a, b);
  }
  const auto sum =
      hn::Add(hn::Add(hn::Add(hn::Add(x0, x1), hn::Add(x2, x3)), hn::Add(hn::Add(x4, x5), hn::Add(x6, x7))),
              hn::Add(hn::Add(x8, x9), hn::Add(x10, x11)));
  sink = hn::GetLane(sum);
  return 2.0 * 12.0 * static_cast<double>(rounds * hn::Lanes(d));
}

double FmaChainsFloat(std::size_t rounds, float a, float b, float& sink) {
  return FmaChains(rounds, a, b, sink);
}
double FmaChainsDouble(std::size_t rounds, double a, double b, double& sink) {
  return FmaChains(rounds, a, b, sink);
}

/// Reads `count` floats, whole registers by eight, and adds them up in eight chains: memory, not addition, is
/// what takes the time beyond the first cache.
float ReadOnce(const float* HWY_RESTRICT from, std::size_t count) {
  const hn::ScalableTag<float> d;
  const std::size_t n = hn::Lanes(d);
  auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
  for (const float* end = from + count; from < end; from += 8 * n) {
    s0 = hn::Add(s0, hn::Load(d, from));
    s1 = hn::Add(s1, hn::Load(d, from + n));
    s2 = hn::Add(s2, hn::Load(d, from + 2 * n));
    s3 = hn::Add(s3, hn::Load(d, from + 3 * n));
    s4 = hn::Add(s4, hn::Load(d, from + 4 * n));
    s5 = hn::Add(s5, hn::Load(d, from + 5 * n));
    s6 = hn::Add(s6, hn::Load(d, from + 6 * n));
    s7 = hn::Add(s7, hn::Load(d, from + 7 * n));
  }
  return hn::GetLane(
      hn::Add(hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)), hn::Add(hn::Add(s4, s5), hn::Add(s6, s7))));
}

/// Writes `count` floats, whole registers by eight. Returns one that it wrote.
float WriteOnce(float* HWY_RESTRICT to, std::size_t count, float value) {
  const hn::ScalableTag<float> d;
  const auto v = hn::Set(d, value);
  const std::size_t n = hn::Lanes(d);
  for (float* const end = to + count; to < end; to += 8 * n)
    for (std::size_t i = 0; i < 8; ++i) hn::Store(v, d, to + i * n);
  return *(to - 1);
}

/// Bytes that ReadOnce and WriteOnce take at a time.
std::size_t ReadGrain() { return 8 * hn::Lanes(hn::ScalableTag<float>()) * sizeof(float); }

std::int64_t Target() { return HWY_TARGET; }

}  // namespace HWY_NAMESPACE
}  // namespace optinc::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace optinc::bench {

HWY_EXPORT(FmaChainsFloat);
HWY_EXPORT(FmaChainsDouble);
HWY_EXPORT(ReadOnce);
HWY_EXPORT(WriteOnce);
HWY_EXPORT(ReadGrain);
HWY_EXPORT(Target);

namespace {

constexpr double sample_s = 5e-3;

/// Keeps a value whose computation is timed, and what it starts from, out of the optimiser's sight.
template <class T>
T hidden(T value) {
  volatile T kept = value;
  return kept;
}

double read_byte_per_s(std::size_t bytes) {
  const std::size_t count = bytes / sizeof(float);
  const auto buffer = hwy::AllocateAligned<float>(count);
  std::fill_n(buffer.get(), count, 1.0F);
  const auto read = [&] { hidden(HWY_DYNAMIC_DISPATCH(ReadOnce)(buffer.get(), count)); };
  return static_cast<double>(bytes) / median_seconds<9>(read, sample_s);
}

double store_byte_per_s(std::size_t bytes) {
  const std::size_t count = bytes / sizeof(float);
  const auto buffer = hwy::AllocateAligned<float>(count);
  const auto write = [&] { hidden(HWY_DYNAMIC_DISPATCH(WriteOnce)(buffer.get(), count, hidden(1.0F))); };
  return static_cast<double>(bytes) / median_seconds<9>(write, sample_s);
}

}  // namespace

Peaks measure_peaks(std::size_t l2_buffer_bytes) {
  constexpr std::size_t rounds = 20'000;
  Peaks peaks;
  peaks.simd_target = hwy::TargetName(HWY_DYNAMIC_DISPATCH(Target)());
  float sink32 = 0;
  double sink64 = 0, flop = 0;
  const double seconds32 = median_seconds<9>(
      [&] {
        flop = HWY_DYNAMIC_DISPATCH(FmaChainsFloat)(rounds, hidden(0.5F), hidden(1.0F), sink32);
        hidden(sink32);
      },
      sample_s);
  peaks.f32_flop_per_s = flop / seconds32;
  const double seconds64 = median_seconds<9>(
      [&] {
        flop = HWY_DYNAMIC_DISPATCH(FmaChainsDouble)(rounds, hidden(0.5), hidden(1.0), sink64);
        hidden(sink64);
      },
      sample_s);
  peaks.f64_flop_per_s = flop / seconds64;
  const std::size_t grain = HWY_DYNAMIC_DISPATCH(ReadGrain)();
  peaks.l2_buffer_bytes = (l2_buffer_bytes + grain - 1) / grain * grain;
  peaks.l2_byte_per_s = read_byte_per_s(peaks.l2_buffer_bytes);
  constexpr std::size_t in_l1 = std::size_t{16} << 10;
  peaks.l1_byte_per_s = read_byte_per_s(in_l1);
  peaks.store_byte_per_s = store_byte_per_s(in_l1);
  return peaks;
}

}  // namespace optinc::bench
#endif
