#include "physics/mesh/engine/detail/gradient_kernel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "physics/mesh/engine/detail/gradient_kernel.cpp"
#include <hwy/foreach_target.h>  // this file once more for every SIMD target
#include <hwy/highway.h>

#include "physics/mesh/engine/detail/mzi-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace optinc {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// G = sum of x lambda^H of true fields, one MZI a lane: G[i][j] with the field at port i in front of the MZI
/// and the adjoint field at port j behind it.
template <class V>
struct Gram {
  ComplexOf<V> g[2][2];
};

template <class D, class T, class V = hn::Vec<D>>
HWY_INLINE Gram<V> LoadGram(D d, const InverseMesh<T>& mesh, const GramSums<T>& sums, std::size_t k,
                            std::size_t left) {
  HWY_ALIGN T sum[8][hn::MaxLanes(d)] = {};
  for (std::size_t i = 0; i < std::min(left, hn::Lanes(d)); ++i) {
    const T* from = sums.mzis.data() + (k + i) * 8 * sums.partials;
    const bool cross = mesh.cross[k + i] != 0;  // then the kernel met the lower adjoint field first
    for (std::size_t number = 0; number < 8; ++number) {
      T total = from[number * sums.partials];
      for (std::size_t part = 1; part < sums.partials; ++part) total += from[number * sums.partials + part];
      sum[cross ? number ^ 2 : number][i] = total;
    }
  }
  const auto scale = [&](std::size_t i) HWY_ATTR {
    const T* from = mesh.scales.data() + 2 * i * mesh.pitch + k;
    return ComplexOf<V>{LoadUpTo(d, from, left), LoadUpTo(d, from + mesh.pitch, left)};
  };
  Gram<V> gram;
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 2; ++j) {
      const ComplexOf<V> scaled = {hn::Load(d, sum[4 * i + 2 * j]), hn::Load(d, sum[4 * i + 2 * j + 1])};
      gram.g[i][j] = TimesConj(Times(scaled, scale(i)), scale(2 + j));
    }
  return gram;
}

/// a x + b y for real a, b
template <class V>
HWY_INLINE ComplexOf<V> Mix(V a, const ComplexOf<V>& x, V b, const ComplexOf<V>& y) {
  return {hn::MulAdd(a, x.re, hn::Mul(b, y.re)), hn::MulAdd(a, x.im, hn::Mul(b, y.im))};
}
/// Re(x y)
template <class V>
HWY_INLINE V RealOfProduct(const ComplexOf<V>& x, const ComplexOf<V>& y) {
  return hn::NegMulAdd(x.im, y.im, hn::Mul(x.re, y.re));
}

template <class T>
void GradientOfSums(const MeshLayout& layout, const MeshParameters<T>& parameters, const InverseMesh<T>& mesh,
                    const GramSums<T>& sums, const GradientArrays<T>& to) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  double lossiest_db = 0.0;
  const auto common = FindCommonRatios(d, parameters, layout.mzis, lossiest_db);
  const V per_db = hn::Set(d, static_cast<T>(-0.115129254649702284));  // -ln 10 / 20
  for (std::size_t k = 0; k < layout.mzis; k += hn::Lanes(d)) {
    const std::size_t left = layout.mzis - k;
    const auto part = LoadMzis(d, parameters, common, k, left);
    const auto gram = LoadGram(d, mesh, sums, k, left);
    // T = [[F m00, i h m01], [i F m10, h m11]] with F = outer, h = outer_other, and m of inner and inner_other;
    // trace(T G) = m00 a00 + m01 a01 + m10 a10 + m11 a11
    const ComplexOf<V> e = part.inner, l = {part.inner_other, hn::Zero(d)};
    const ComplexOf<V> m00 = Mix(part.cos_cos, e, hn::Neg(part.sin_sin), l);
    const ComplexOf<V> m01 = Mix(part.cos_sin, e, part.sin_cos, l);
    const ComplexOf<V> m10 = Mix(part.sin_cos, e, part.cos_sin, l);
    const ComplexOf<V> m11 = Mix(hn::Neg(part.sin_sin), e, part.cos_cos, l);
    const ComplexOf<V> a00 = Times(part.outer, gram.g[0][0]);
    const ComplexOf<V> a01 = TimesI(Stretch(gram.g[1][0], part.outer_other));
    const ComplexOf<V> a10 = TimesI(Times(part.outer, gram.g[0][1]));
    const ComplexOf<V> a11 = Stretch(gram.g[1][1], part.outer_other);

    const ComplexOf<V> outer = TimesPlus(m00, a00, Times(m10, a10));  // all that outer stands in
    const V outer_other = hn::Add(RealOfProduct(m01, a01), RealOfProduct(m11, a11));
    const ComplexOf<V> along = Mix(part.cos_cos, a00, part.cos_sin, a01),
                       back = Mix(part.sin_cos, a10, hn::Neg(part.sin_sin), a11);
    const ComplexOf<V> inner = Times(e, ComplexOf<V>{hn::Add(along.re, back.re), hn::Add(along.im, back.im)});
    const V inner_other = hn::Mul(
        part.inner_other, hn::Add(hn::MulAdd(part.sin_cos, a01.re, hn::Neg(hn::Mul(part.sin_sin, a00.re))),
                                  hn::MulAdd(part.cos_sin, a10.re, hn::Mul(part.cos_cos, a11.re))));
    // splitters: dm/d alpha = [[-m01, m00], [m11, -m10]], dm/d beta = [[-m10, m11], [m00, -m01]]
    const V alpha = hn::Sub(hn::Add(RealOfProduct(m00, a01), RealOfProduct(m11, a10)),
                            hn::Add(RealOfProduct(m01, a00), RealOfProduct(m10, a11)));
    const V beta = hn::Sub(hn::Add(RealOfProduct(m11, a01), RealOfProduct(m00, a10)),
                           hn::Add(RealOfProduct(m10, a00), RealOfProduct(m01, a11)));
    StoreUpTo(d, hn::Neg(inner.im), to.theta + k, left);
    StoreUpTo(d, hn::Neg(outer.im), to.phi + k, left);
    StoreUpTo(d, alpha, to.alpha + k, left);
    StoreUpTo(d, beta, to.beta + k, left);
    StoreUpTo(d, hn::Mul(per_db, inner.re), to.theta_arm_loss_db + k, left);
    StoreUpTo(d, hn::Mul(per_db, outer.re), to.phi_arm_loss_db + k, left);
    StoreUpTo(d, hn::Mul(per_db, inner_other), to.theta_other_loss_db + k, left);
    StoreUpTo(d, hn::Mul(per_db, outer_other), to.phi_other_loss_db + k, left);
  }
  const T idle_per_db = hn::GetLane(hn::Mul(hn::Add(per_db, per_db), hn::Mul(common.idle, common.idle)));
  T idle = 0;
  for (std::size_t i = 0; i < layout.idle.size(); ++i)
    idle +=
        idle_per_db * (mesh.idle_scale_re[i] * sums.idle[2 * i] - mesh.idle_scale_im[i] * sums.idle[2 * i + 1]);
  *to.idle_arm_loss_db = idle;
  for (std::size_t p = 0; p < layout.ports; ++p) to.output_phase[p] = -sums.outputs[2 * p + 1];
}

void GradientFloat(const MeshLayout& layout, const MeshParameters<float>& parameters,
                   const InverseMesh<float>& mesh, const GramSums<float>& sums,
                   const GradientArrays<float>& gradient) {
  GradientOfSums(layout, parameters, mesh, sums, gradient);
}
void GradientDouble(const MeshLayout& layout, const MeshParameters<double>& parameters,
                    const InverseMesh<double>& mesh, const GramSums<double>& sums,
                    const GradientArrays<double>& gradient) {
  GradientOfSums(layout, parameters, mesh, sums, gradient);
}

}  // namespace HWY_NAMESPACE
}  // namespace optinc
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace optinc {

HWY_EXPORT(GradientFloat);
HWY_EXPORT(GradientDouble);

void gradient_of_sums(const MeshLayout& layout, const MeshParameters<float>& parameters,
                      const InverseMesh<float>& mesh, const GramSums<float>& sums,
                      const GradientArrays<float>& gradient) {
  HWY_DYNAMIC_DISPATCH(GradientFloat)(layout, parameters, mesh, sums, gradient);
}
void gradient_of_sums(const MeshLayout& layout, const MeshParameters<double>& parameters,
                      const InverseMesh<double>& mesh, const GramSums<double>& sums,
                      const GradientArrays<double>& gradient) {
  HWY_DYNAMIC_DISPATCH(GradientDouble)(layout, parameters, mesh, sums, gradient);
}

}  // namespace optinc
#endif
