// Sine and cosine of a register of angles. Compiled once per SIMD target: include after <hwy/highway.h>, inside
// a file that <hwy/foreach_target.h> goes through.

#if defined(OPTINC_PHYSICS_SIMD_SINCOS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef OPTINC_PHYSICS_SIMD_SINCOS_INL_HPP
#undef OPTINC_PHYSICS_SIMD_SINCOS_INL_HPP
#else
#define OPTINC_PHYSICS_SIMD_SINCOS_INL_HPP
#endif

#include <hwy/highway.h>

#include "physics/simd/detail/trig_series.hpp"

HWY_BEFORE_NAMESPACE();
namespace optinc {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// c[0] + x (c[1] + x (c[2] + ..))
template <class D, std::size_t count>
HWY_INLINE hn::Vec<D> Horner(D d, hn::Vec<D> x, const std::array<hn::TFromD<D>, count>& c) {
  auto sum = hn::Set(d, c[count - 1]);
  for (std::size_t i = count - 1; i > 0; --i) sum = hn::MulAdd(sum, x, hn::Set(d, c[i - 1]));
  return sum;
}

template <class V>
struct SinCosOf {
  V sine, cosine;
};

/// sin and cos of angles of at most pi/4: the series alone.
template <class D, class V = hn::Vec<D>>
HWY_INLINE SinCosOf<V> SinCosSmall(D d, V r) {
  using T = hn::TFromD<D>;
  using K = TrigSeries<T>;
  const V r2 = hn::Mul(r, r);
  return {hn::MulAdd(hn::Mul(r, r2), Horner(d, r2, K::sine), r),
          hn::MulAdd(hn::Mul(r2, r2), Horner(d, r2, K::cosine),
                     hn::NegMulAdd(hn::Set(d, static_cast<T>(0.5)), r2, hn::Set(d, static_cast<T>(1))))};
}

/// sin and cos of angles in rad. |x| up to some thousand turns keeps full accuracy: error below 1e-7 in float
/// (of the angle as rounded to float) and 2e-16 in double. NaN and infinity give NaN.
template <class D, class V = hn::Vec<D>>
HWY_INLINE SinCosOf<V> SinCos(D d, V x) {
  using T = hn::TFromD<D>;
  using K = TrigSeries<T>;
  const hn::RebindToSigned<D> di;
  // adding 1.5 2^(mantissa bits) rounds to an integer and leaves it in the low bits
  const V shift = hn::Set(d, static_cast<T>(sizeof(T) == 4 ? 12582912.0 : 6755399441055744.0));
  const V shifted = hn::MulAdd(x, hn::Set(d, static_cast<T>(0.636619772367581343)), shift);
  const V quarter_turns = hn::Sub(shifted, shift);
  V r = hn::NegMulAdd(quarter_turns, hn::Set(d, K::half_pi[0]), x);
  r = hn::NegMulAdd(quarter_turns, hn::Set(d, K::half_pi[1]), r);
  r = hn::NegMulAdd(quarter_turns, hn::Set(d, K::half_pi[2]), r);
  const auto [s, c] = SinCosSmall(d, r);
  const auto n = hn::BitCast(di, shifted);
  const auto one = hn::Set(di, 1), two = hn::Set(di, 2);
  const auto swapped = hn::RebindMask(d, hn::TestBit(n, one));
  // signs: sine turns in quarters 2 and 3, cosine in quarters 1 and 2
  constexpr int to_sign = sizeof(T) * 8 - 2;
  const V sine_sign = hn::BitCast(d, hn::ShiftLeft<to_sign>(hn::And(n, two)));
  const V cosine_sign = hn::BitCast(d, hn::ShiftLeft<to_sign>(hn::And(hn::Add(n, one), two)));
  return {hn::Xor(hn::IfThenElse(swapped, c, s), sine_sign),
          hn::Xor(hn::IfThenElse(swapped, s, c), cosine_sign)};
}

}  // namespace HWY_NAMESPACE
}  // namespace optinc
HWY_AFTER_NAMESPACE();

#endif
