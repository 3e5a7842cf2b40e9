#include "physics/mesh/engine/backward_kernel.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "physics/mesh/engine/backward_kernel.cpp"
#include <hwy/foreach_target.h>  // this file once more for every SIMD target
#include <hwy/highway.h>

#include "physics/mesh/engine/mzi-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace optinc {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Lanes that hold the sums of a and of b together: half of them each.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Fold([[maybe_unused]] D d, V a, V b) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Add(a, b);  // one lane: never asked for
#else
  return hn::Add(hn::ConcatEven(d, b, a), hn::ConcatOdd(d, b, a));
#endif
}

/// Adds eight registers, each to be summed over its lanes, to memory: eight numbers of max(1, lanes / 8) partial
/// sums.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void AddSums(D d, const V (&s)[8], hn::TFromD<D>* HWY_RESTRICT to) {
  constexpr std::size_t lanes = hn::MaxLanes(D());
  const auto add = [&](V v, std::size_t at) HWY_ATTR { hn::Store(hn::Add(hn::Load(d, to + at), v), d, to + at); };
  if constexpr (lanes == 1) {
    for (std::size_t i = 0; i < 8; ++i) add(s[i], i);
  } else if constexpr (lanes == 2) {
    for (std::size_t i = 0; i < 8; i += 2) add(Fold(d, s[i], s[i + 1]), i);
  } else if constexpr (lanes == 4) {
    for (std::size_t i = 0; i < 8; i += 4) add(Fold(d, Fold(d, s[i], s[i + 1]), Fold(d, s[i + 2], s[i + 3])), i);
  } else {
    add(Fold(d, Fold(d, Fold(d, s[0], s[1]), Fold(d, s[2], s[3])),
             Fold(d, Fold(d, s[4], s[5]), Fold(d, s[6], s[7]))),
        0);
  }
}

/// Sums x conj(y) into (re, im).
template <class V>
HWY_INLINE void AddTimesConj(const ComplexOf<V>& x, const ComplexOf<V>& y, V& re, V& im) {
  re = hn::MulAdd(x.im, y.im, hn::MulAdd(x.re, y.re, re));
  im = hn::NegMulAdd(x.re, y.im, hn::MulAdd(x.im, y.re, im));
}

/// One MZI on the way back for a block of two registers of words: fields inverted, Gram sums of the fields in
/// front of it and the adjoint fields behind it, adjoint fields taken to the front.
template <class D, class T>
HWY_INLINE void InvertMzi(D d, const T* HWY_RESTRICT factor, std::size_t pitch, T* HWY_RESTRICT upper,
                          T* HWY_RESTRICT lower, T* HWY_RESTRICT adjoint_upper, T* HWY_RESTRICT adjoint_lower,
                          bool cross, T* HWY_RESTRICT sums) {
  using V = hn::Vec<D>;
  const std::size_t lanes = hn::Lanes(d), im = 2 * lanes;
  const T* HWY_RESTRICT from[2] = {cross ? lower : upper, cross ? upper : lower};
  const T* HWY_RESTRICT adjoint_from[2] = {cross ? adjoint_lower : adjoint_upper,
                                           cross ? adjoint_upper : adjoint_lower};
  const auto set = [&](std::size_t i) HWY_ATTR { return hn::Set(d, factor[i * pitch]); };
  V s[8];
  for (V& sum : s) sum = hn::Zero(d);
  for (std::size_t w = 0; w < im; w += lanes) {
    const ComplexOf<V> u = {hn::Load(d, from[0] + w), hn::Load(d, from[0] + im + w)};
    const ComplexOf<V> v = {hn::Load(d, from[1] + w), hn::Load(d, from[1] + im + w)};
    const ComplexOf<V> first = TimesPlus({set(0), set(1)}, v, u), second = TimesPlus({set(2), set(3)}, u, v);
    hn::Store(first.re, d, upper + w);
    hn::Store(first.im, d, upper + im + w);
    hn::Store(second.re, d, lower + w);
    hn::Store(second.im, d, lower + im + w);
    const ComplexOf<V> a = {hn::Load(d, adjoint_from[0] + w), hn::Load(d, adjoint_from[0] + im + w)};
    const ComplexOf<V> b = {hn::Load(d, adjoint_from[1] + w), hn::Load(d, adjoint_from[1] + im + w)};
    AddTimesConj(first, a, s[0], s[1]);
    AddTimesConj(first, b, s[2], s[3]);
    AddTimesConj(second, a, s[4], s[5]);
    AddTimesConj(second, b, s[6], s[7]);
    const ComplexOf<V> first_adjoint = TimesPlus({set(4), set(5)}, b, a);
    const ComplexOf<V> second_adjoint = TimesPlus({set(6), set(7)}, a, b);
    hn::Store(first_adjoint.re, d, adjoint_upper + w);
    hn::Store(first_adjoint.im, d, adjoint_upper + im + w);
    hn::Store(second_adjoint.re, d, adjoint_lower + w);
    hn::Store(second_adjoint.im, d, adjoint_lower + im + w);
  }
  AddSums(d, s, sums);
}

template <class D, class T>
HWY_NOINLINE void ColumnBack(D d, const MeshLayout& layout, const LayoutColumn& column, const InverseMesh<T>& mesh,
                             T* HWY_RESTRICT fields, T* HWY_RESTRICT adjoints, T* HWY_RESTRICT sums,
                             std::size_t sum_size) {
  const std::size_t port = 4 * hn::Lanes(d);
  for (std::size_t k = column.first; k < column.first + column.count; ++k) {
    const std::size_t upper = static_cast<std::size_t>(layout.upper[k]) * port;
    const std::size_t lower = static_cast<std::size_t>(layout.lower[k]) * port;
    InvertMzi(d, mesh.factors.data() + k, mesh.pitch, fields + upper, fields + lower, adjoints + upper,
              adjoints + lower, mesh.cross[k] != 0, sums + k * sum_size);
  }
}

/// Sum over a block of x conj(lambda) at one port.
template <class D, class T>
HWY_INLINE ComplexOf<T> PortSum(D d, const T* HWY_RESTRICT x, const T* HWY_RESTRICT lambda) {
  using V = hn::Vec<D>;
  const std::size_t lanes = hn::Lanes(d), im = 2 * lanes;
  V sum_re = hn::Zero(d), sum_im = hn::Zero(d);
  for (std::size_t w = 0; w < im; w += lanes)
    AddTimesConj(ComplexOf<V>{hn::Load(d, x + w), hn::Load(d, x + im + w)},
                 ComplexOf<V>{hn::Load(d, lambda + w), hn::Load(d, lambda + im + w)}, sum_re, sum_im);
  return {hn::GetLane(hn::SumOfLanes(d, sum_re)), hn::GetLane(hn::SumOfLanes(d, sum_im))};
}

/// Multiplies every port of a block by its scale: re at scales, im `ports` behind.
template <class D, class T>
HWY_INLINE void Rescale(D d, const T* HWY_RESTRICT scales, std::size_t ports, T* HWY_RESTRICT block) {
  using V = hn::Vec<D>;
  const std::size_t lanes = hn::Lanes(d), im = 2 * lanes;
  for (std::size_t p = 0; p < ports; ++p)
    for (std::size_t w = 0; w < im; w += lanes) {
      T* HWY_RESTRICT at = block + p * 2 * im + w;
      const ComplexOf<V> scaled = Times(ComplexOf<V>{hn::Set(d, scales[p]), hn::Set(d, scales[ports + p])},
                                        ComplexOf<V>{hn::Load(d, at), hn::Load(d, at + im)});
      hn::Store(scaled.re, d, at);
      hn::Store(scaled.im, d, at + im);
    }
}

template <class T>
void WalkBack(const MeshLayout& layout, const InverseMesh<T>& mesh, const FieldBlocks<T>& inputs,
              FieldBlocks<T>& outputs, FieldBlocks<T>& gradient, std::size_t first, std::size_t count,
              GramSums<T>& sums) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d), ports = layout.ports, port = 4 * lanes;
  sums.partials = std::max<std::size_t>(1, lanes / 8);
  const std::size_t sum_size = 8 * sums.partials;
  sums.mzis.resize(layout.mzis * sum_size);
  sums.idle.resize(2 * layout.idle.size());
  sums.outputs.resize(2 * ports);
  auto largest_input = hn::Zero(d), largest_error = hn::Zero(d);
  for (std::size_t b = first; b < first + count; ++b) {
    T* HWY_RESTRICT fields = outputs.block(b);
    T* HWY_RESTRICT adjoints = gradient.block(b);
    const T* scales = mesh.rescale.data();
    const auto rescale = [&] {
      Rescale(d, scales, ports, fields);
      Rescale(d, scales + 2 * ports, ports, adjoints);
      scales += 4 * ports;
    };
    rescale();
    for (std::size_t p = 0; p < ports; ++p) {
      const auto sum = PortSum(d, fields + p * port, adjoints + p * port);
      sums.outputs[2 * p] += sum.re;
      sums.outputs[2 * p + 1] += sum.im;
    }
    for (std::size_t c = layout.columns.size(); c-- > 0;) {
      const LayoutColumn& column = layout.columns[c];
      for (std::size_t i = column.first_idle; i < column.first_idle + column.idle_count; ++i) {
        const std::size_t p = static_cast<std::size_t>(layout.idle[i]) * port;
        const auto sum = PortSum(d, fields + p, adjoints + p);
        sums.idle[2 * i] += sum.re;
        sums.idle[2 * i + 1] += sum.im;
      }
      ColumnBack(d, layout, column, mesh, fields, adjoints, sums.mzis.data(), sum_size);
      if (mesh.rescale_before[c]) rescale();
    }
    rescale();
    const T* HWY_RESTRICT sent = inputs.block(b);
    for (std::size_t i = 0; i < ports * port; i += lanes) {
      const auto x = hn::Load(d, sent + i);
      largest_input = hn::Max(largest_input, hn::Abs(x));
      // not Max(error, ..): a NaN must stay
      const auto error = hn::Abs(hn::Sub(hn::Load(d, fields + i), x));
      largest_error = hn::IfThenElse(hn::Le(error, largest_error), largest_error, error);
    }
  }
  HWY_ALIGN T input[hn::MaxLanes(d)], error[hn::MaxLanes(d)];
  hn::Store(largest_input, d, input);
  hn::Store(largest_error, d, error);
  for (std::size_t i = 0; i < lanes; ++i) {
    sums.largest_input = std::max(sums.largest_input, static_cast<double>(input[i]));
    if (!(error[i] <= sums.largest_error)) sums.largest_error = static_cast<double>(error[i]);
  }
}

void WalkBackFloat(const MeshLayout& layout, const InverseMesh<float>& mesh, const FieldBlocks<float>& inputs,
                   FieldBlocks<float>& outputs, FieldBlocks<float>& gradient, std::size_t first,
                   std::size_t count, GramSums<float>& sums) {
  WalkBack(layout, mesh, inputs, outputs, gradient, first, count, sums);
}
void WalkBackDouble(const MeshLayout& layout, const InverseMesh<double>& mesh, const FieldBlocks<double>& inputs,
                    FieldBlocks<double>& outputs, FieldBlocks<double>& gradient, std::size_t first,
                    std::size_t count, GramSums<double>& sums) {
  WalkBack(layout, mesh, inputs, outputs, gradient, first, count, sums);
}

}  // namespace HWY_NAMESPACE
}  // namespace optinc
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace optinc {

HWY_EXPORT(WalkBackFloat);
HWY_EXPORT(WalkBackDouble);

void walk_back(const MeshLayout& layout, const InverseMesh<float>& mesh, const FieldBlocks<float>& inputs,
               FieldBlocks<float>& outputs, FieldBlocks<float>& gradient, std::size_t first_block,
               std::size_t count, GramSums<float>& sums) {
  HWY_DYNAMIC_DISPATCH(WalkBackFloat)(layout, mesh, inputs, outputs, gradient, first_block, count, sums);
}
void walk_back(const MeshLayout& layout, const InverseMesh<double>& mesh, const FieldBlocks<double>& inputs,
               FieldBlocks<double>& outputs, FieldBlocks<double>& gradient, std::size_t first_block,
               std::size_t count, GramSums<double>& sums) {
  HWY_DYNAMIC_DISPATCH(WalkBackDouble)(layout, mesh, inputs, outputs, gradient, first_block, count, sums);
}

}  // namespace optinc
#endif
