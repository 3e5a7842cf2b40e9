#include "physics/random/detail/normal_kernel.hpp"

#include <algorithm>
#include <cstddef>
#include <numbers>
#include <stdexcept>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "physics/random/detail/normal_kernel.cpp"
#include <hwy/foreach_target.h>  // this file once more for every SIMD target
#include <hwy/highway.h>

#include "physics/random/detail/box_muller_series.hpp"

// No MulAdd in this file: targets without it would round differently. The build adds -ffp-contract=off, so that
// the compiler does not fuse either.

HWY_BEFORE_NAMESPACE();
namespace optinc {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// One word of many counters (u64 lanes: in the low half, anything above), or any four vectors.
template <class V>
struct Four {
  V v0, v1, v2, v3;
};

/// c0 + x (c1 + x (c2 + ..))
template <class D, class V = hn::Vec<D>, class T, std::size_t count>
HWY_INLINE V Horner(D d, V x, const std::array<T, count>& c) {
  V sum = hn::Set(d, c[count - 1]);
  for (std::size_t i = count - 1; i > 0; --i) sum = hn::Add(hn::Set(d, c[i - 1]), hn::Mul(x, sum));
  return sum;
}

/// Products of the low halves.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V MulLow(D, V a, V b) {
#if HWY_TARGET == HWY_SCALAR
  return V((a.raw & 0xffffffffu) * (b.raw & 0xffffffffu));
#else
  const hn::Repartition<std::uint32_t, D> d32;
  return hn::MulEven(hn::BitCast(d32, a), hn::BitCast(d32, b));
#endif
}

/// One round of Philox4x32. Words live in u64 lanes, where the product of two of them is one instruction and
/// leaves its low half in place; what stands above a word is never read.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void PhiloxRound(D d, std::uint64_t key0, std::uint64_t key1, Four<V>& c) {
  const V p0 = MulLow(d, c.v0, hn::Set(d, 0xD2511F53u)), p1 = MulLow(d, c.v2, hn::Set(d, 0xCD9E8D57u));
  c = {hn::Xor3(hn::ShiftRight<32>(p1), c.v1, hn::Set(d, key0)), p1,
       hn::Xor3(hn::ShiftRight<32>(p0), c.v3, hn::Set(d, key1)), p0};
}

/// Philox4x32-10 of several vectors of counters. They take turns round by round: the rounds of one vector wait
/// for each other, and a processor does not look far enough ahead to fill the time with the next vector.
template <class D, class... Blocks>
HWY_INLINE void Philox(D d, const PhiloxStart& start, Blocks&... blocks) {
  for (std::size_t round = 0; round < 10; ++round)
    (PhiloxRound(d, start.key0[round], start.key1[round], blocks), ...);
}

/// Counters `position` + step (0, 1, 2, ..).
template <int step_bits, class D>
HWY_INLINE Four<hn::Vec<D>> Counters(D d, const PhiloxStart& start, std::uint64_t position) {
  const auto p = hn::Add(hn::Set(d, position), hn::ShiftLeft<step_bits>(hn::Iota(d, 0)));
  return {p, hn::ShiftRight<32>(p), hn::Set(d, start.word2), hn::Set(d, start.word3)};
}

/// Words of the counters from `position` on, one in each u64 lane of `first`, then of `second`.
template <class D, hwy::EnableIf<sizeof(hn::TFromD<D>) == 8>* = nullptr, class V>
HWY_INLINE void WordsAt(D d, const PhiloxStart& start, std::uint64_t position, Four<V>& first,
                        Four<V>& second) {
  first = Counters<0>(d, start, position);
  second = Counters<0>(d, start, position + hn::Lanes(d));
  Philox(d, start, first, second);
}

#if HWY_TARGET == HWY_SCALAR
HWY_INLINE hn::Vec1<std::uint32_t> Join(hn::Vec1<std::uint64_t> even, hn::Vec1<std::uint64_t>) {
  return hn::Vec1<std::uint32_t>(static_cast<std::uint32_t>(even.raw));
}
#else
/// Low halves of two vectors, alternating.
template <class V>
HWY_INLINE auto Join(V even, V odd) {
  const hn::Repartition<std::uint32_t, hn::DFromV<V>> d32;
  return hn::OddEven(hn::BitCast(d32, hn::ShiftLeft<32>(odd)), hn::BitCast(d32, even));
}
#endif

/// The same, one in each u32 lane.
template <class D, hwy::EnableIf<sizeof(hn::TFromD<D>) == 4>* = nullptr, class V>
HWY_INLINE void WordsAt(D d, const PhiloxStart& start, std::uint64_t position, Four<V>& first,
                        Four<V>& second) {
  const hn::ScalableTag<std::uint64_t> d64;
  const std::uint64_t next = position + hn::Lanes(d);
  auto even = Counters<1>(d64, start, position), odd = Counters<1>(d64, start, position + 1);
  auto even2 = Counters<1>(d64, start, next), odd2 = Counters<1>(d64, start, next + 1);
  Philox(d64, start, even, odd, even2, odd2);
  first = {Join(even.v0, odd.v0), Join(even.v1, odd.v1), Join(even.v2, odd.v2), Join(even.v3, odd.v3)};
  second = {Join(even2.v0, odd2.v0), Join(even2.v1, odd2.v1), Join(even2.v2, odd2.v2), Join(even2.v3, odd2.v3)};
}

/// Cosine and sine of 2 pi v from their values `c`, `s` at the distance from the nearest axis. `turned` is word
/// b plus 2^29 in the top bits: its first two bits number the axis.
template <class D, class V = hn::Vec<D>, class VU>
HWY_INLINE void TurnToQuadrant(D d, VU turned, V& c, V& s) {
  const hn::RebindToUnsigned<D> du;
  using U = hn::TFromD<decltype(du)>;
  constexpr U top = U{1} << (8 * sizeof(U) - 1);
  const VU sign = hn::Set(du, top);
  const auto odd = hn::RebindMask(d, hn::TestBit(turned, hn::Set(du, top / 2)));
  const VU sine_sign = hn::And(turned, sign),
           cosine_sign = hn::And(hn::Xor(turned, hn::ShiftLeft<1>(turned)), sign);
  const V cosine = hn::IfThenElse(odd, s, c), sine = hn::IfThenElse(odd, c, s);
  c = hn::Xor(cosine, hn::BitCast(d, cosine_sign));
  s = hn::Xor(sine, hn::BitCast(d, sine_sign));
}

// Both precisions: u = 2^e m with m in [1/2, 1), so that e ln 2 and ln m have one sign and nothing cancels;
// distance x from the nearest axis in quarter turns, |x| < 1/2.

/// Radius and angle of words `a`, `b` (low halves) in double: ln m = 2 artanh((m - 1)/(m + 1)).
template <class D, hwy::EnableIf<sizeof(hn::TFromD<D>) == 8>* = nullptr, class V = hn::Vec<D>, class VU>
HWY_INLINE void BoxMuller(D d, VU a, VU b, V& cosine, V& sine) {
  const hn::RebindToUnsigned<D> du;
  // bits behind the leading 1 of a number in [1, 2): integers become doubles without a rounding
  const VU one_to_two = hn::Set(du, 0x3ff0000000000000u);
  const V u = hn::Sub(hn::BitCast(d, hn::Or(hn::ShiftRight<12>(hn::ShiftLeft<32>(a)), one_to_two)),
                      hn::Set(d, 1 - 0x1p-33));
  const VU bits = hn::BitCast(du, u);
  const V m =
      hn::BitCast(d, hn::Or(hn::And(bits, hn::Set(du, 0x000fffffffffffffu)), hn::Set(du, 0x3fe0000000000000u)));
  const V e = hn::Sub(hn::BitCast(d, hn::Or(hn::ShiftRight<52>(bits), hn::Set(du, 0x4330000000000000u))),
                      hn::Set(d, 0x1p52 + 1022));
  const V t = hn::Div(hn::Sub(m, hn::Set(d, 1.0)), hn::Add(m, hn::Set(d, 1.0)));
  const V series = Horner(d, hn::Mul(t, t), BoxMullerSeries<double>::logarithm);
  const V radius = hn::Sqrt(hn::Add(hn::Mul(e, hn::Set(d, -2 * std::numbers::ln2)), hn::Mul(t, series)));

  const VU turned = hn::Add(hn::ShiftLeft<32>(b), hn::Set(du, std::uint64_t{1} << 61));
  const V x = hn::Sub(hn::BitCast(d, hn::Or(hn::ShiftRight<12>(hn::ShiftLeft<2>(turned)), one_to_two)),
                      hn::Set(d, 1.5 - 0x1p-31));
  const V z = hn::Mul(x, x);
  V s = hn::Mul(x, Horner(d, z, BoxMullerSeries<double>::sine));
  V c = Horner(d, z, BoxMullerSeries<double>::cosine);
  TurnToQuadrant(d, turned, c, s);
  cosine = hn::Mul(radius, c);
  sine = hn::Mul(radius, s);
}

/// The same in float, from u32 lanes: ln m = log1p(m - 1). For u >= 1/2, m - 1 = -(1 - u) comes from the
/// complement of word a, which keeps the small radii accurate.
template <class D, hwy::EnableIf<sizeof(hn::TFromD<D>) == 4>* = nullptr, class V = hn::Vec<D>, class VU>
HWY_INLINE void BoxMuller(D d, VU a, VU b, V& cosine, V& sine) {
  const hn::RebindToUnsigned<D> du;
  const hn::RebindToSigned<D> di;
  const auto upper = hn::BroadcastSignBit(hn::BitCast(di, a));  // all ones where u >= 1/2
  const auto u_is_upper = hn::MaskFromVec(hn::BitCast(d, upper));
  const V y =
      hn::Add(hn::ConvertTo(d, hn::Xor(hn::BitCast(di, a), upper)), hn::Set(d, 0.5f));  // 2^32 min(u, 1-u)
  const VU bits = hn::BitCast(du, y);
  const V m = hn::BitCast(d, hn::Or(hn::And(bits, hn::Set(du, 0x007fffffu)), hn::Set(du, 0x3f000000u)));
  const V e = hn::IfThenZeroElse(
      u_is_upper,
      hn::Sub(hn::ConvertTo(d, hn::BitCast(di, hn::ShiftRight<23>(bits))), hn::Set(d, 126.0f + 32)));
  const V f = hn::IfThenElse(u_is_upper, hn::Mul(y, hn::Set(d, -0x1p-32f)), hn::Sub(m, hn::Set(d, 1.0f)));
  const V series = Horner(d, f, BoxMullerSeries<float>::logarithm);
  const V radius =
      hn::Sqrt(hn::Add(hn::Mul(e, hn::Set(d, -2 * std::numbers::ln2_v<float>)), hn::Mul(f, series)));

  // word b without its two top bits, as a signed number: 2^32 x - 2
  const V shifted = hn::ConvertTo(d, hn::BitCast(di, hn::ShiftLeft<2>(b)));
  const V x = hn::Mul(hn::Add(shifted, hn::Set(d, 2.0f)), hn::Set(d, 0x1p-32f)), z = hn::Mul(x, x);
  V s = hn::Mul(x, Horner(d, z, BoxMullerSeries<float>::sine));
  V c = Horner(d, z, BoxMullerSeries<float>::cosine);
  TurnToQuadrant(d, hn::Add(b, hn::Set(du, std::uint32_t{1} << 29)), c, s);
  cosine = hn::Mul(radius, c);
  sine = hn::Mul(radius, s);
}

/// What becomes of the words of a vector of counters: themselves, or normals of the words' width.
template <class VU>
HWY_INLINE void Emit(hn::ScalableTag<std::uint32_t> d, const Four<VU>& w, std::uint32_t* HWY_RESTRICT out) {
  hn::StoreInterleaved4(w.v0, w.v1, w.v2, w.v3, d, out);
}

template <class D, class VU>
HWY_INLINE void Emit(D d, const Four<VU>& w, hn::TFromD<D>* HWY_RESTRICT out) {
  hn::Vec<D> c0, s0, c1, s1;
  BoxMuller(d, w.v0, w.v1, c0, s0);
  BoxMuller(d, w.v2, w.v3, c1, s1);
  hn::StoreInterleaved4(c0, s0, c1, s1, d, out);
}

template <class T>
HWY_INLINE void FromPhilox(const PhiloxStart& start, T* HWY_RESTRICT out, std::size_t count) {
  const hn::ScalableTag<T> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  constexpr std::size_t most = HWY_MAX_BYTES / sizeof(T);
  const std::size_t lanes = hn::Lanes(d), step = 8 * lanes;
  std::uint64_t position = start.position;
  Four<hn::Vec<decltype(du)>> first, second;
  for (; count >= step; out += step, count -= step, position += 2 * lanes) {
    WordsAt(du, start, position, first, second);
    Emit(d, first, out);
    Emit(d, second, out + step / 2);
  }
  if (count == 0) return;
  HWY_ALIGN T last[8 * most];
  WordsAt(du, start, position, first, second);
  Emit(d, first, last);
  if (count > step / 2) Emit(d, second, last + step / 2);
  std::copy_n(last, count, out);
}

void WordsFromPhilox(const PhiloxStart& start, std::uint32_t* out, std::size_t count) {
  FromPhilox(start, out, count);
}
void DoublesFromPhilox(const PhiloxStart& start, double* out, std::size_t count) {
  FromPhilox(start, out, count);
}
void FloatsFromPhilox(const PhiloxStart& start, float* out, std::size_t count) {
  FromPhilox(start, out, count);
}

template <class VU>
HWY_INLINE void LoadPairs(hn::ScalableTag<float>, const std::uint32_t* HWY_RESTRICT words, VU& a, VU& b) {
  hn::LoadInterleaved2(hn::ScalableTag<std::uint32_t>(), words, a, b);
}
template <class VU>
HWY_INLINE void LoadPairs(hn::ScalableTag<double> d, const std::uint32_t* HWY_RESTRICT words, VU& a, VU& b) {
#if HWY_TARGET == HWY_SCALAR
  (void)d;
  a = VU(words[0]);
  b = VU(words[1]);
#else
  const hn::Repartition<std::uint32_t, decltype(d)> d32;
  const hn::RebindToUnsigned<decltype(d)> du;
  a = hn::BitCast(du,
                  hn::LoadU(d32, words));  // both words of a pair in one lane; what stands above is not read
  b = hn::ShiftRight<32>(a);
#endif
}

/// One pair, in registers: a single draw waits for its result, and the way through buffers costs it the double.
template <class T>
HWY_INLINE void OnePair(const std::uint32_t* HWY_RESTRICT words, T* HWY_RESTRICT out) {
  const hn::CappedTag<T, 1> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  hn::Vec<decltype(d)> c, s;
  BoxMuller(d, hn::Set(du, words[0]), hn::Set(du, words[1]), c, s);
  out[0] = hn::GetLane(c);
  out[1] = hn::GetLane(s);
}

template <class T>
HWY_INLINE void FromWords(const std::uint32_t* HWY_RESTRICT words, T* HWY_RESTRICT out, std::size_t count) {
  const hn::ScalableTag<T> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  constexpr std::size_t most = HWY_MAX_BYTES / sizeof(T);
  const std::size_t step = 2 * hn::Lanes(d);
  if (count == 2) return OnePair(words, out);
  hn::Vec<decltype(d)> c, s;
  hn::Vec<decltype(du)> a, b;
  for (; count >= step; words += step, out += step, count -= step) {
    LoadPairs(d, words, a, b);
    BoxMuller(d, a, b, c, s);
    hn::StoreInterleaved2(c, s, d, out);
  }
  if (count == 0) return;
  HWY_ALIGN std::uint32_t last_words[2 * most] = {};
  HWY_ALIGN T last[2 * most];
  std::copy_n(words, count, last_words);
  LoadPairs(d, last_words, a, b);
  BoxMuller(d, a, b, c, s);
  hn::StoreInterleaved2(c, s, d, last);
  std::copy_n(last, count, out);
}

void DoublesFromWords(const std::uint32_t* words, double* out, std::size_t count) {
  FromWords(words, out, count);
}
void FloatsFromWords(const std::uint32_t* words, float* out, std::size_t count) {
  FromWords(words, out, count);
}

}  // namespace HWY_NAMESPACE
}  // namespace optinc
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace optinc {

HWY_EXPORT(WordsFromPhilox);
HWY_EXPORT(DoublesFromPhilox);
HWY_EXPORT(FloatsFromPhilox);
HWY_EXPORT(DoublesFromWords);
HWY_EXPORT(FloatsFromWords);

namespace {

void validate_lengths(std::size_t words, std::size_t out) {
  if (words != out || words % 2 != 0)
    throw std::invalid_argument("box_muller: words and normals must be equally many, and even");
}

}  // namespace

void philox_words(const PhiloxKey& key, const PhiloxCounter& first, std::span<std::uint32_t> out) {
  HWY_DYNAMIC_DISPATCH(WordsFromPhilox)(philox_start(key, first), out.data(), out.size());
}
void philox_normals(const PhiloxKey& key, const PhiloxCounter& first, std::span<double> out) {
  HWY_DYNAMIC_DISPATCH(DoublesFromPhilox)(philox_start(key, first), out.data(), out.size());
}
void philox_normals(const PhiloxKey& key, const PhiloxCounter& first, std::span<float> out) {
  HWY_DYNAMIC_DISPATCH(FloatsFromPhilox)(philox_start(key, first), out.data(), out.size());
}

void box_muller(std::span<const std::uint32_t> words, std::span<double> out) {
  validate_lengths(words.size(), out.size());
  HWY_DYNAMIC_DISPATCH(DoublesFromWords)(words.data(), out.data(), out.size());
}
void box_muller(std::span<const std::uint32_t> words, std::span<float> out) {
  validate_lengths(words.size(), out.size());
  HWY_DYNAMIC_DISPATCH(FloatsFromWords)(words.data(), out.data(), out.size());
}

}  // namespace optinc
#endif
