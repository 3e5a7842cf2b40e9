#include <algorithm>
#include <cmath>

#include "physics/mesh/engine/detail/backward_kernel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "physics/mesh/engine/detail/settle_inverse_kernel.cpp"
#include <hwy/foreach_target.h>  // this file once more for every SIMD target
#include <hwy/highway.h>

#include "physics/mesh/engine/detail/mzi-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace optinc {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// [[d, -b], [-c, a]] / (a d - b c)
template <class D, class V = hn::Vec<D>>
HWY_INLINE Matrix2Of<V> Inverse(D d, const Matrix2Of<V>& t) {
  const ComplexOf<V> ad = Times(t.a, t.d), bc = Times(t.b, t.c);
  const ComplexOf<V> determinant = {hn::Sub(ad.re, bc.re), hn::Sub(ad.im, bc.im)};
  const V over = hn::Div(hn::Set(d, static_cast<hn::TFromD<D>>(1)), Norm(determinant));
  const ComplexOf<V> minus = Stretch(determinant, hn::Neg(over));
  const auto divided = [&](const ComplexOf<V>& x) HWY_ATTR { return TimesConj(x, minus); };  // -x / determinant
  const ComplexOf<V> a = divided(t.a), d2 = divided(t.d);
  return {{hn::Neg(d2.re), hn::Neg(d2.im)}, divided(t.b), divided(t.c), {hn::Neg(a.re), hn::Neg(a.im)}};
}

template <class V>
HWY_INLINE Matrix2Of<V> Adjoint(const Matrix2Of<V>& t) {
  return {Conj(t.a), Conj(t.c), Conj(t.b), Conj(t.d)};
}

/// One column on the way back: factors, scales in front of and behind each MZI.
template <class Source, class D, class T = hn::TFromD<D>, class V = hn::Vec<D>>
HWY_INLINE bool InvertColumn(D d, const MeshLayout& layout, const LayoutColumn& column, const Source& source,
                             SplitPorts<T>& field_scales, SplitPorts<T>& adjoint_scales, InverseMesh<T>& mesh) {
  const hn::RebindToSigned<D> di;
  const std::size_t pitch = mesh.pitch, last = column.first + column.count;
  auto finite = hn::Eq(hn::Zero(d), hn::Zero(d));
  for (std::size_t k = column.first; k < last; k += hn::Lanes(d)) {
    // lanes beyond the column belong to the next one, which was walked before: they must be left alone
    const std::size_t left = last - k;
    const Matrix2Of<V> t = source.template Load<false>(d, k);
    const auto cross = NeedsCross(d, t);
    ComplexOf<V> field[2], adjoint[2];
    LoadScales(d, field_scales, layout, column, k, left, field[0], field[1]);
    LoadScales(d, adjoint_scales, layout, column, k, left, adjoint[0], adjoint[1]);
    const auto inverted = ScaleAs(d, cross, BehindScales(Inverse(d, t), field[0], field[1]));
    const auto turned = ScaleAs(d, cross, BehindScales(Adjoint(t), adjoint[0], adjoint[1]));
    StoreScales(d, field_scales, layout, column, k, left, inverted.first_scale, inverted.second_scale);
    StoreScales(d, adjoint_scales, layout, column, k, left, turned.first_scale, turned.second_scale);
    const V factors[8] = {inverted.f.re, inverted.f.im, inverted.g.re, inverted.g.im,
                          turned.f.re,   turned.f.im,   turned.g.re,   turned.g.im};
    const V scales[8] = {inverted.first_scale.re,
                         inverted.first_scale.im,
                         inverted.second_scale.re,
                         inverted.second_scale.im,
                         adjoint[0].re,
                         adjoint[0].im,
                         adjoint[1].re,
                         adjoint[1].im};
    V sum = hn::Zero(d);
    for (std::size_t i = 0; i < 8; ++i) {
      StoreUpTo(d, scales[i], mesh.scales.data() + i * pitch + k, left);
      sum = hn::Add(sum, hn::Add(factors[i], scales[i]));
    }
    HWY_ALIGN T four[2][4 * hn::MaxLanes(d)];
    hn::StoreInterleaved4(factors[0], factors[1], factors[2], factors[3], d, four[0]);
    hn::StoreInterleaved4(factors[4], factors[5], factors[6], factors[7], d, four[1]);
    for (std::size_t i = 0; i < std::min(left, hn::Lanes(d)); ++i)
      for (std::size_t set = 0; set < 2; ++set)
        std::copy_n(four[set] + 4 * i, 4, mesh.factors.data() + 8 * (k + i) + 4 * set);
    const auto flags = hn::VecFromMask(di, hn::RebindMask(di, cross));
    StoreUpTo(di, flags, mesh.cross.data() + k, left);
    finite = hn::And(finite, hn::Or(hn::IsFinite(sum), hn::Not(hn::FirstN(d, left))));
  }
  return hn::AllTrue(d, finite);
}

template <template <class...> class SourceOf, class Parameters, class T>
bool SettleInverse(const MeshLayout& layout, const Parameters& parameters, InverseMesh<T>& mesh) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d), ports = layout.ports, columns = layout.columns.size();
  mesh.pitch = layout.mzis + lanes;
  mesh.factors.resize(8 * mesh.pitch);
  mesh.scales.resize(8 * mesh.pitch);
  mesh.cross.resize(mesh.pitch);
  mesh.idle_scale_re.resize(layout.idle.size());
  mesh.idle_scale_im.resize(layout.idle.size());
  mesh.rescale_before.assign(columns, false);
  mesh.rescale.clear();

  const SourceOf<decltype(d)> source(d, layout, parameters);
  const std::size_t interval = columns_per_rescale(source.lossiest_db);
  const T idle_factor = source.idle_factor;

  SplitPorts<T> field(ports, lanes), adjoint(ports, lanes);
  const auto store_scales = [&]() HWY_ATTR {
    for (auto* scales : {&field, &adjoint}) {
      for (std::size_t p = 0; p < ports; ++p) mesh.rescale.push_back(*scales->re(p));
      for (std::size_t p = 0; p < ports; ++p) mesh.rescale.push_back(*scales->im(p));
      scales->set_ones();
    }
  };
  for (std::size_t p = 0; p < ports; ++p) {
    ComplexOf<T> undo, turn_back;
    source.UndoScreen(p, undo, turn_back);
    *field.re(p) = undo.re;
    *field.im(p) = undo.im;
    *adjoint.re(p) = turn_back.re;
    *adjoint.im(p) = turn_back.im;
  }
  store_scales();

  bool finite = true;
  std::size_t since = 0;
  std::vector<ComplexOf<T>> idle_field, idle_adjoint;
  for (std::size_t c = columns; c-- > 0;) {
    const LayoutColumn& column = layout.columns[c];
    idle_field.clear();
    idle_adjoint.clear();
    for (std::size_t i = 0; i < column.idle_count; ++i) {
      const auto p = static_cast<std::size_t>(layout.idle[column.first_idle + i]);
      idle_field.push_back({*field.re(p) / idle_factor, *field.im(p) / idle_factor});
      idle_adjoint.push_back({*adjoint.re(p), *adjoint.im(p)});
    }
    finite &= InvertColumn(d, layout, column, source, field, adjoint, mesh);
    for (std::size_t i = 0; i < column.idle_count; ++i) {
      const auto p = static_cast<std::size_t>(layout.idle[column.first_idle + i]);
      const auto [x_re, x_im] = idle_field[i];
      const auto [l_re, l_im] = idle_adjoint[i];
      mesh.idle_scale_re[column.first_idle + i] = x_re * l_re + x_im * l_im;
      mesh.idle_scale_im[column.first_idle + i] = x_im * l_re - x_re * l_im;
      *field.re(p) = x_re;
      *field.im(p) = x_im;
      *adjoint.re(p) = idle_factor * l_re;
      *adjoint.im(p) = idle_factor * l_im;
    }
    if (++since < interval || c == 0) continue;
    mesh.rescale_before[c] = true;
    store_scales();
    since = 0;
  }
  store_scales();
  for (const T scale : mesh.rescale) finite &= std::isfinite(scale);
  return finite;
}

bool SettleInverseFloat(const MeshLayout& layout, const MeshParameters<float>& parameters,
                        InverseMesh<float>& mesh) {
  return SettleInverse<FromDevices>(layout, parameters, mesh);
}
bool SettleInverseDouble(const MeshLayout& layout, const MeshParameters<double>& parameters,
                         InverseMesh<double>& mesh) {
  return SettleInverse<FromDevices>(layout, parameters, mesh);
}
bool InverseOfBlocksFloat(const MeshLayout& layout, const BlockParameters<float>& blocks,
                          InverseMesh<float>& mesh) {
  return SettleInverse<FromBlocks>(layout, blocks, mesh);
}
bool InverseOfBlocksDouble(const MeshLayout& layout, const BlockParameters<double>& blocks,
                           InverseMesh<double>& mesh) {
  return SettleInverse<FromBlocks>(layout, blocks, mesh);
}

}  // namespace HWY_NAMESPACE
}  // namespace optinc
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace optinc {

HWY_EXPORT(SettleInverseFloat);
HWY_EXPORT(SettleInverseDouble);
HWY_EXPORT(InverseOfBlocksFloat);
HWY_EXPORT(InverseOfBlocksDouble);

bool settle_inverse(const MeshLayout& layout, const MeshParameters<float>& parameters,
                    InverseMesh<float>& mesh) {
  return HWY_DYNAMIC_DISPATCH(SettleInverseFloat)(layout, parameters, mesh);
}
bool settle_inverse(const MeshLayout& layout, const MeshParameters<double>& parameters,
                    InverseMesh<double>& mesh) {
  return HWY_DYNAMIC_DISPATCH(SettleInverseDouble)(layout, parameters, mesh);
}
bool settle_inverse(const MeshLayout& layout, const BlockParameters<float>& blocks, InverseMesh<float>& mesh) {
  return HWY_DYNAMIC_DISPATCH(InverseOfBlocksFloat)(layout, blocks, mesh);
}
bool settle_inverse(const MeshLayout& layout, const BlockParameters<double>& blocks,
                    InverseMesh<double>& mesh) {
  return HWY_DYNAMIC_DISPATCH(InverseOfBlocksDouble)(layout, blocks, mesh);
}

}  // namespace optinc
#endif
