// Sine and cosine of a register of angles. Compiled once per SIMD target: include after <hwy/highway.h>, inside
// a file that <hwy/foreach_target.h> goes through.

#if defined(OPTINC_PHYSICS_SIMD_SINCOS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef OPTINC_PHYSICS_SIMD_SINCOS_INL_HPP
#undef OPTINC_PHYSICS_SIMD_SINCOS_INL_HPP
#else
#define OPTINC_PHYSICS_SIMD_SINCOS_INL_HPP
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace optinc {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// c[0] + x (c[1] + x (c[2] + ..))
template <class D, std::size_t count>
HWY_INLINE hn::Vec<D> Horner(D d, hn::Vec<D> x, const hn::TFromD<D> (&c)[count]) {
  auto sum = hn::Set(d, c[count - 1]);
  for (std::size_t i = count - 1; i > 0; --i) sum = hn::MulAdd(sum, x, hn::Set(d, c[i - 1]));
  return sum;
}

/// Series of sin(r) = r + r^3 S(r^2) and cos(r) = 1 - r^2/2 + r^4 C(r^2) on |r| <= pi/4, minimax (coefficients
/// of the Cephes library, S. Moshier), and pi/2 in three parts, the first two with trailing zeros so that their
/// products with small integers are exact (Cody and Waite).
template <class Real>
struct TrigConstants;
template <>
struct TrigConstants<float> {
  static constexpr float sine[] = {-1.6666654611e-1f, 8.3321608736e-3f, -1.9515295891e-4f};
  static constexpr float cosine[] = {4.166664568298827e-2f, -1.388731625493765e-3f, 2.443315711809948e-5f};
  static constexpr float half_pi[] = {1.5703125f, 4.837512969970703125e-4f, 7.54978995489188e-8f};
};
template <>
struct TrigConstants<double> {
  static constexpr double sine[] = {-1.66666666666666307295e-1, 8.33333333332211858878e-3,
                                    -1.98412698295895385996e-4, 2.75573136213857245213e-6,
                                    -2.50507477628578072866e-8, 1.58962301576546568060e-10};
  static constexpr double cosine[] = {4.16666666666665929218e-2, -1.38888888888730564116e-3,
                                      2.48015872888517045348e-5, -2.75573141792967388112e-7,
                                      2.08757008419747316778e-9, -1.13585365213876817300e-11};
  static constexpr double half_pi[] = {1.57079625129699707031, 7.54978941586159635335e-8,
                                       5.39030285815811905290e-15};
};

template <class V>
struct SinCosOf {
  V sine, cosine;
};

/// sin and cos of angles of at most pi/4: the series alone.
template <class D, class V = hn::Vec<D>>
HWY_INLINE SinCosOf<V> SinCosSmall(D d, V r) {
  using T = hn::TFromD<D>;
  using K = TrigConstants<T>;
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
  using K = TrigConstants<T>;
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
