#include "physics/mesh/engine/detail/correction_kernel.hpp"

#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "physics/mesh/engine/detail/correction_kernel.cpp"
#include <hwy/foreach_target.h>  // this file once more for every SIMD target
#include <hwy/highway.h>

#include "physics/mesh/engine/detail/mzi-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace optinc {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// z / |z|; 1 for 0.
template <class D, class V = hn::Vec<D>>
HWY_INLINE ComplexOf<V> UnitPhase(D d, const ComplexOf<V>& z) {
  using T = hn::TFromD<D>;
  const V norm = Norm(z), one = hn::Set(d, T(1));
  const ComplexOf<V> unit = Stretch(z, hn::Div(one, hn::Sqrt(norm)));
  return IfThenElse(hn::Gt(norm, hn::Zero(d)), unit, ComplexOf<V>{one, hn::Zero(d)});
}

/// Angle of z in [0, 2 pi), which is not 0.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Angle(D d, const ComplexOf<V>& z) {
  using T = hn::TFromD<D>;
  const V pi = hn::Set(d, static_cast<T>(3.14159265358979324)),
          two_pi = hn::Set(d, static_cast<T>(6.28318530717958648));
  const V x = hn::Abs(z.re), y = hn::Abs(z.im);
  const auto steep = hn::Gt(y, x);
  V angle = hn::Atan(d, hn::Div(hn::IfThenElse(steep, x, y), hn::IfThenElse(steep, y, x)));
  angle = hn::IfThenElse(steep, hn::Sub(hn::Set(d, static_cast<T>(1.57079632679489662)), angle), angle);
  angle = hn::IfThenElse(hn::Lt(z.re, hn::Zero(d)), hn::Sub(pi, angle), angle);
  angle = hn::IfThenElse(hn::Lt(z.im, hn::Zero(d)), hn::Sub(two_pi, angle), angle);
  return hn::IfThenElse(hn::Ge(angle, two_pi), hn::Zero(d), angle);  // a tiny negative angle rounds up to 2 pi
}

/// What is done to a register of MZIs: settings, and the phases that the columns behind them have to undo.
template <class V, class M>
struct CorrectedMzis {
  V theta, phi;
  ComplexOf<V> upper, lower;
  M clipped;
};

template <class D, class V = hn::Vec<D>>
HWY_INLINE CorrectedMzis<V, hn::Mask<D>> Correct(D d, V theta, V phi, V alpha, V beta,
                                                 const ComplexOf<V>& upper, const ComplexOf<V>& lower,
                                                 bool quadrature) {
  using T = hn::TFromD<D>;
  const V zero = hn::Zero(d), one = hn::Set(d, T(1)), half = hn::Set(d, static_cast<T>(0.5));
  const auto internal = SinCos(d, hn::Mul(half, theta)), external = SinCos(d, phi);
  const auto plus = SinCos(d, hn::Add(alpha, beta)), minus = SinCos(d, hn::Sub(alpha, beta));
  const V c = internal.cosine, s = internal.sine;

  // wanted, up to e^{i theta/2}: [[e^{i phi} i s, i c], [e^{i phi} i c, -i s]], columns times the phases
  // carried in
  const ComplexOf<V> first = Times(ComplexOf<V>{external.cosine, external.sine}, upper);
  const ComplexOf<V> w00 = TimesI(Stretch(first, s)), w01 = TimesI(Stretch(lower, c));
  const ComplexOf<V> w10 = TimesI(Stretch(first, c)), w11 = TimesI(Stretch(lower, hn::Neg(s)));

  // the bar power sin^2(theta/2) through these splitters; cos 2 alpha cos 2 beta = C+^2 - S-^2
  const V range = hn::Sub(hn::Mul(plus.cosine, plus.cosine), hn::Mul(minus.sine, minus.sine));
  const V share = hn::Div(hn::Sub(hn::Mul(s, s), hn::Mul(plus.sine, plus.sine)), range);
  // the bound is physical; the last bits of a bar power computed from other angles are not a clip
  const V rounding = hn::Set(d, static_cast<T>(4.5) * std::numeric_limits<T>::epsilon());
  const auto reached = hn::And(hn::Ge(share, hn::Neg(rounding)), hn::Le(share, hn::Add(one, rounding)));
  const auto clipped = hn::Not(reached);
  const V bounded = hn::Min(hn::Max(share, zero), one);
  const V s2 = hn::Sqrt(bounded), c2 = hn::Sqrt(hn::Sub(one, bounded));

  // what the MZI does at phi = 0, up to e^{i theta'/2}
  const V bar = hn::Mul(s2, minus.cosine), bar_error = hn::Neg(hn::Mul(c2, plus.sine));
  const V cross = hn::Mul(c2, plus.cosine), cross_error = hn::Mul(s2, minus.sine);
  const ComplexOf<V> r00 = {bar_error, bar}, r01 = {hn::Neg(cross_error), cross};
  const ComplexOf<V> r10 = {cross_error, cross}, r11 = {bar_error, hn::Neg(bar)};

  // phi turns the first column: it gives the first row's elements the ratio of phases that was asked for
  ComplexOf<V> turn = UnitPhase(d, Times(TimesConj(w00, w01), TimesConj(r01, r00)));
  V bar_counts = one, cross_counts = one;
  if (quadrature && !hn::AllFalse(d, clipped)) {
    const V bar_wanted = hn::Mul(s, s), bar_reached = Norm(r00), cross_wanted = hn::Mul(c, c),
            cross_reached = Norm(r01);
    const auto bar_surplus = hn::Gt(bar_reached, bar_wanted);
    const V ratio2 = hn::Div(hn::IfThenElse(bar_surplus, bar_wanted, cross_wanted),
                             hn::IfThenElse(bar_surplus, bar_reached, cross_reached));
    const V cosine2 = hn::Min(one, ratio2), sine = hn::Sqrt(hn::Sub(one, cosine2));
    const ComplexOf<V> psi = {hn::Sqrt(cosine2), hn::IfThenElse(bar_surplus, sine, hn::Neg(sine))};
    turn = IfThenElse(clipped, Times(turn, psi), turn);
    bar_counts = hn::IfThenElse(hn::And(clipped, bar_surplus), zero, one);
    cross_counts = hn::IfThenElse(hn::And(clipped, hn::Not(bar_surplus)), zero, one);
  }
  // what the columns behind it have to undo: the phase from real to wanted of each row, by both its elements
  const ComplexOf<V> halves = TimesConj(ComplexOf<V>{c, s}, ComplexOf<V>{c2, s2});  // e^{i (theta - theta')/2}
  const auto residual = [&](const ComplexOf<V>& w0, const ComplexOf<V>& r0, V counts0, const ComplexOf<V>& w1,
                            const ComplexOf<V>& r1, V counts1) HWY_ATTR {
    const ComplexOf<V> a = Stretch(TimesConj(w0, Times(r0, turn)), counts0);
    const ComplexOf<V> b = Stretch(TimesConj(w1, r1), counts1);
    return UnitPhase(d, Times(halves, ComplexOf<V>{hn::Add(a.re, b.re), hn::Add(a.im, b.im)}));
  };
  return {hn::Mul(hn::Set(d, T(2)), Angle(d, ComplexOf<V>{c2, s2})), Angle(d, turn),
          residual(w00, r00, bar_counts, w01, r01, cross_counts),
          residual(w10, r10, cross_counts, w11, r11, bar_counts), clipped};
}

template <class T>
std::size_t CorrectMesh(const MeshLayout& layout, const WantedPhases<T>& wanted, bool quadrature,
                        const CorrectedPhases<T>& corrected) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const std::size_t lanes = hn::Lanes(d);
  SplitPorts<T> carried(layout.ports, lanes);  // phases still to be undone, per waveguide
  std::vector<std::pair<T, T>> idle;
  std::size_t clipped = 0;
  for (const LayoutColumn& column : layout.columns) {
    idle.clear();
    for (std::size_t i = column.first_idle; i < column.first_idle + column.idle_count; ++i) {
      const auto p = static_cast<std::size_t>(layout.idle[i]);
      idle.emplace_back(*carried.re(p), *carried.im(p));
    }
    const std::size_t last = column.first + column.count;
    for (std::size_t k = column.first; k < last; k += lanes) {
      const std::size_t left = last - k;
      const auto load = [&](const T* from) HWY_ATTR { return LoadUpTo(d, from + k, left); };
      ComplexOf<V> upper, lower;
      LoadScales(d, carried, layout, column, k, left, upper, lower);
      const auto mzis = Correct(d, load(wanted.theta), load(wanted.phi), load(wanted.alpha), load(wanted.beta),
                                upper, lower, quadrature);
      StoreScales(d, carried, layout, column, k, left, mzis.upper, mzis.lower);
      StoreUpTo(d, mzis.theta, corrected.theta + k, left);
      StoreUpTo(d, mzis.phi, corrected.phi + k, left);
      clipped += hn::CountTrue(d, hn::And(mzis.clipped, hn::FirstN(d, left)));
    }
    for (std::size_t i = 0; i < column.idle_count; ++i) {
      const auto p = static_cast<std::size_t>(layout.idle[column.first_idle + i]);
      std::tie(*carried.re(p), *carried.im(p)) = idle[i];
    }
  }
  for (std::size_t p = 0; p < layout.ports; ++p) {
    const auto own = SinCos(d, hn::Set(d, wanted.output_phase[p]));
    const ComplexOf<V> residual = {hn::Set(d, *carried.re(p)), hn::Set(d, *carried.im(p))};
    corrected.output_phase[p] = hn::GetLane(Angle(d, Times(residual, ComplexOf<V>{own.cosine, own.sine})));
  }
  return clipped;
}

std::size_t CorrectFloat(const MeshLayout& layout, const WantedPhases<float>& wanted, bool quadrature,
                         const CorrectedPhases<float>& corrected) {
  return CorrectMesh(layout, wanted, quadrature, corrected);
}
std::size_t CorrectDouble(const MeshLayout& layout, const WantedPhases<double>& wanted, bool quadrature,
                          const CorrectedPhases<double>& corrected) {
  return CorrectMesh(layout, wanted, quadrature, corrected);
}

}  // namespace HWY_NAMESPACE
}  // namespace optinc
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace optinc {

HWY_EXPORT(CorrectFloat);
HWY_EXPORT(CorrectDouble);

std::size_t correct_mesh(const MeshLayout& layout, const WantedPhases<float>& wanted, bool quadrature,
                         const CorrectedPhases<float>& corrected) {
  return HWY_DYNAMIC_DISPATCH(CorrectFloat)(layout, wanted, quadrature, corrected);
}
std::size_t correct_mesh(const MeshLayout& layout, const WantedPhases<double>& wanted, bool quadrature,
                         const CorrectedPhases<double>& corrected) {
  return HWY_DYNAMIC_DISPATCH(CorrectDouble)(layout, wanted, quadrature, corrected);
}

}  // namespace optinc
#endif
