#include "physics/mesh/engine/detail/backward_kernel.hpp"

#include <algorithm>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "physics/mesh/engine/detail/backward_kernel.cpp"
#include <hwy/foreach_target.h>  // this file once more for every SIMD target
#include <hwy/highway.h>

#include "physics/mesh/engine/detail/mzi-inl.hpp"

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

/// Adds eight registers, each to be summed over its lanes, to memory: eight numbers of max(1, lanes / 8)
/// partial sums.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void AddSums(D d, const V (&s)[8], hn::TFromD<D>* HWY_RESTRICT to) {
  constexpr std::size_t lanes = hn::MaxLanes(D());
  const auto add = [&](V v, std::size_t at)
                       HWY_ATTR { hn::Store(hn::Add(hn::Load(d, to + at), v), d, to + at); };
  if constexpr (lanes == 1) {
    for (std::size_t i = 0; i < 8; ++i) add(s[i], i);
  } else if constexpr (lanes == 2) {
    for (std::size_t i = 0; i < 8; i += 2) add(Fold(d, s[i], s[i + 1]), i);
  } else if constexpr (lanes == 4) {
    for (std::size_t i = 0; i < 8; i += 4)
      add(Fold(d, Fold(d, s[i], s[i + 1]), Fold(d, s[i + 2], s[i + 3])), i);
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

/// One MZI on the way back for R registers of words: fields inverted, Gram sums of the fields in front of it
/// and the adjoint fields behind it, adjoint fields taken to the front. from_u and from_v are the ports
/// exchanged by a cross pivot. Few pointers and many offsets, and no structures in between: the compiler runs
/// out of registers, first of those for addresses.
template <std::size_t R, class D, class T>
HWY_INLINE void InvertMzi(D d, const T* HWY_RESTRICT factor, T* HWY_RESTRICT fields, T* HWY_RESTRICT adjoints,
                          std::size_t upper, std::size_t lower, std::size_t from_u, std::size_t from_v,
                          T* HWY_RESTRICT sums) {
  using V = hn::Vec<D>;
  const std::size_t lanes = hn::Lanes(d), im = R * lanes;
  const auto set = [&](std::size_t i) HWY_ATTR { return hn::Set(d, factor[i]); };
  V s[8];
  const auto word = [&](std::size_t w, auto add) HWY_ATTR {
    const auto load = [&](const T* HWY_RESTRICT plane, std::size_t port) HWY_ATTR {
      return ComplexOf<V>{hn::Load(d, plane + port + w), hn::Load(d, plane + port + im + w)};
    };
    const auto store = [&](const ComplexOf<V>& x, T* HWY_RESTRICT plane, std::size_t port) HWY_ATTR {
      hn::Store(x.re, d, plane + port + w);
      hn::Store(x.im, d, plane + port + im + w);
    };
    const ComplexOf<V> u = load(fields, from_u), v = load(fields, from_v);
    const ComplexOf<V> a = load(adjoints, from_u), b = load(adjoints, from_v);
    const ComplexOf<V> first = TimesPlus(ComplexOf<V>{set(0), set(1)}, v, u);
    const ComplexOf<V> second = TimesPlus(ComplexOf<V>{set(2), set(3)}, u, v);
    store(first, fields, upper);
    store(second, fields, lower);
    add(first, a, s[0], s[1]);
    add(first, b, s[2], s[3]);
    add(second, a, s[4], s[5]);
    add(second, b, s[6], s[7]);
    store(TimesPlus(ComplexOf<V>{set(4), set(5)}, b, a), adjoints, upper);
    store(TimesPlus(ComplexOf<V>{set(6), set(7)}, a, b), adjoints, lower);
  };
  word(0, [](const ComplexOf<V>& x, const ComplexOf<V>& y, V& re, V& im_sum) HWY_ATTR {
    re = hn::MulAdd(x.im, y.im, hn::Mul(x.re, y.re));
    im_sum = hn::NegMulAdd(x.re, y.im, hn::Mul(x.im, y.re));
  });
  for (std::size_t w = 1; w < R; ++w)
    word(w * lanes, [](const ComplexOf<V>& x, const ComplexOf<V>& y, V& re, V& im_sum)
                        HWY_ATTR { AddTimesConj(x, y, re, im_sum); });
  AddSums(d, s, sums);
}

/// A column of neighbours, whose ports follow from one another.
template <std::size_t R, class D, class T>
HWY_NOINLINE void RunBack(D d, const T* HWY_RESTRICT factors,
                          const typename ScaledMesh<T>::Flag* HWY_RESTRICT cross, std::size_t count,
                          T* HWY_RESTRICT fields, T* HWY_RESTRICT adjoints, T* HWY_RESTRICT sums,
                          std::size_t sum_size) {
  const std::size_t port = 2 * R * hn::Lanes(d);
  const T* const end = factors + 8 * count;
  for (; factors != end; factors += 8, ++cross, sums += sum_size) {
    const std::size_t exchange = static_cast<std::size_t>(*cross) & port;
    InvertMzi<R>(d, factors, fields, adjoints, 0, port, exchange, port - exchange, sums);
    fields += 2 * port;
    adjoints += 2 * port;
  }
}

/// A column of any pairs.
template <std::size_t R, class D, class T>
HWY_NOINLINE void PairsBack(D d, const MeshLayout& layout, const LayoutColumn& column,
                            const InverseMesh<T>& mesh, T* HWY_RESTRICT fields, T* HWY_RESTRICT adjoints,
                            T* HWY_RESTRICT sums, std::size_t sum_size) {
  const std::size_t port = 2 * R * hn::Lanes(d);
  for (std::size_t k = column.first; k < column.first + column.count; ++k) {
    const auto upper = static_cast<std::size_t>(layout.upper[k]) * port;
    const auto lower = static_cast<std::size_t>(layout.lower[k]) * port;
    const bool cross = mesh.cross[k] != 0;
    InvertMzi<R>(d, mesh.factors.data() + 8 * k, fields, adjoints, upper, lower, cross ? lower : upper,
                 cross ? upper : lower, sums + k * sum_size);
  }
}

/// Sum over R registers of words of x conj(lambda) at one port.
template <std::size_t R, class D, class T>
HWY_INLINE ComplexOf<T> PortSum(D d, const T* HWY_RESTRICT x, const T* HWY_RESTRICT lambda) {
  using V = hn::Vec<D>;
  const std::size_t lanes = hn::Lanes(d), im = R * lanes;
  V sum_re = hn::Zero(d), sum_im = hn::Zero(d);
  for (std::size_t w = 0; w < im; w += lanes)
    AddTimesConj(ComplexOf<V>{hn::Load(d, x + w), hn::Load(d, x + im + w)},
                 ComplexOf<V>{hn::Load(d, lambda + w), hn::Load(d, lambda + im + w)}, sum_re, sum_im);
  return {hn::GetLane(hn::SumOfLanes(d, sum_re)), hn::GetLane(hn::SumOfLanes(d, sum_im))};
}

/// Where R registers of words, the first of which is register `first` of all, stand in blocks of any width.
template <std::size_t R, class T>
class Registers {
 public:
  Registers(std::size_t width, std::size_t ports, std::size_t lanes, std::size_t first)
      : port_(2 * width), im_(width) {
    for (std::size_t i = 0; i < R; ++i) {
      const std::size_t word = (first + i) * lanes;
      start_[i] = word / width * ports * port_ + word % width;
    }
  }
  /// Place of the real parts of register i at a port; imaginary parts stand im() behind.
  std::size_t at(std::size_t port, std::size_t i) const { return start_[i] + port * port_; }
  std::size_t im() const { return im_; }

 private:
  std::size_t port_, im_, start_[R];
};

/// Every port times its scale: re at scales, im `ports` behind.
template <std::size_t R, class D, class T>
HWY_INLINE void Rescale(D d, const T* HWY_RESTRICT scales, std::size_t ports, const T* from,
                        const Registers<R, T>& from_at, T* to, const Registers<R, T>& to_at) {
  using V = hn::Vec<D>;
  for (std::size_t p = 0; p < ports; ++p)
    for (std::size_t i = 0; i < R; ++i) {
      const T* const x = from + from_at.at(p, i);
      T* const y = to + to_at.at(p, i);
      const ComplexOf<V> scaled = Times(ComplexOf<V>{hn::Set(d, scales[p]), hn::Set(d, scales[ports + p])},
                                        ComplexOf<V>{hn::Load(d, x), hn::Load(d, x + from_at.im())});
      hn::Store(scaled.re, d, y);
      hn::Store(scaled.im, d, y + to_at.im());
    }
}

/// One column on the way back: idle ports and pairs whose first port is in [low, high).
template <std::size_t R, class D, class T>
HWY_INLINE void ColumnBack(D d, const MeshLayout& layout, std::size_t c, const InverseMesh<T>& mesh,
                           std::size_t low, std::size_t high, T* HWY_RESTRICT fields, T* HWY_RESTRICT adjoints,
                           GramSums<T>& sums) {
  const LayoutColumn& column = layout.columns[c];
  const std::size_t port = 2 * R * hn::Lanes(d), sum_size = 8 * sums.partials;
  for (std::size_t i = column.first_idle; i < column.first_idle + column.idle_count; ++i) {
    const auto p = static_cast<std::size_t>(layout.idle[i]);
    if (p < low || p >= high) continue;
    const auto sum = PortSum<R>(d, fields + p * port, adjoints + p * port);
    sums.idle[2 * i] += sum.re;
    sums.idle[2 * i + 1] += sum.im;
  }
  if (column.run_start < 0)
    return PairsBack<R>(d, layout, column, mesh, fields, adjoints, sums.mzis.data(), sum_size);
  const auto start = static_cast<std::size_t>(column.run_start);
  const auto before = [&](std::size_t p) HWY_ATTR { return p <= start ? 0 : (p - start + 1) / 2; };  // pairs
  const std::size_t skipped = before(low), end = std::min(column.count, before(high));
  if (skipped >= end) return;
  const std::size_t k = column.first + skipped, at = (start + 2 * skipped) * port;
  RunBack<R>(d, mesh.factors.data() + 8 * k, mesh.cross.data() + k, end - skipped, fields + at, adjoints + at,
             sums.mzis.data() + k * sum_size, sum_size);
}

/// R registers of words from the first on all the way back. Some columns are walked in tiles of ports whose
/// fields stay in the first-level cache; the border of a tile moves a port up with every column, so that what a
/// pair needs has been done, and what a later one needs has not been written over.
template <std::size_t R, class T>
void WalkRegisters(const MeshLayout& layout, const InverseMesh<T>& mesh, const BackwardFields<T>& io,
                   std::size_t first, std::size_t tile, AlignedVector<T>& memory, GramSums<T>& sums) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d), ports = layout.ports, port = 2 * R * lanes;
  T* HWY_RESTRICT fields = memory.data();
  T* HWY_RESTRICT adjoints = memory.data() + ports * port;
  const Registers<R, T> given(io.inputs.width, ports, lanes, first), here(R * lanes, ports, lanes, 0);
  const T* scales = mesh.rescale.data();
  const auto next_scales = [&] { return std::exchange(scales, scales + 4 * ports); };
  const T* at = next_scales();
  Rescale(d, at, ports, io.outputs.data.data(), given, fields, here);
  Rescale(d, at + 2 * ports, ports, io.gradient.data.data(), given, adjoints, here);
  for (std::size_t p = 0; p < ports; ++p) {
    const auto sum = PortSum<R>(d, fields + p * port, adjoints + p * port);
    sums.outputs[2 * p] += sum.re;
    sums.outputs[2 * p + 1] += sum.im;
  }
  const auto is_run = [&](std::size_t c) { return layout.columns[c].run_start >= 0; };
  for (std::size_t end = layout.columns.size(), c = end; end > 0; end = c) {
    c = end - 1;
    while (c > 0 && end - c < std::min(columns_at_once, tile) && !mesh.rescale_before[c] && is_run(c) &&
           is_run(c - 1))
      --c;
    const std::size_t width = end - c > 1 ? tile : ports;
    for (std::size_t low = 0; low < ports; low += width)
      for (std::size_t walked = end; walked-- > c;) {
        const std::size_t done = end - 1 - walked, high = low + width >= ports ? ports : low + width - done;
        ColumnBack<R>(d, layout, walked, mesh, low == 0 ? 0 : low - done, high, fields, adjoints, sums);
      }
    if (!mesh.rescale_before[c]) continue;
    at = next_scales();
    Rescale(d, at, ports, fields, here, fields, here);
    Rescale(d, at + 2 * ports, ports, adjoints, here, adjoints, here);
  }
  at = next_scales();
  Rescale(d, at, ports, fields, here, fields, here);
  Rescale(d, at + 2 * ports, ports, adjoints, here, io.input_gradient.data.data(), given);
  auto largest_input = hn::Zero(d), largest_error = hn::Zero(d);
  for (std::size_t p = 0; p < ports; ++p)
    for (std::size_t i = 0; i < 2 * R; ++i) {
      const std::size_t part = i / R;  // real, then imaginary
      const auto x = hn::Load(d, io.inputs.data.data() + given.at(p, i % R) + part * given.im());
      largest_input = hn::Max(largest_input, hn::Abs(x));
      // not Max(error, ..): a NaN must stay, also when finite errors follow
      const auto error = hn::Abs(hn::Sub(hn::Load(d, fields + here.at(p, i % R) + part * here.im()), x));
      const auto keep = hn::Or(hn::Le(error, largest_error), hn::IsNaN(largest_error));
      largest_error = hn::IfThenElse(keep, largest_error, error);
    }
  HWY_ALIGN T input[hn::MaxLanes(d)], error[hn::MaxLanes(d)];
  hn::Store(largest_input, d, input);
  hn::Store(largest_error, d, error);
  for (std::size_t i = 0; i < lanes; ++i) {
    sums.largest_input = std::max(sums.largest_input, static_cast<double>(input[i]));
    sums.largest_error = larger_or_nan(sums.largest_error, static_cast<double>(error[i]));
  }
}

template <class T>
void WalkBack(const MeshLayout& layout, const InverseMesh<T>& mesh, const BackwardFields<T>& io,
              std::size_t first, std::size_t count, std::size_t tile, GramSums<T>& sums) {
  const std::size_t lanes = hn::Lanes(hn::ScalableTag<T>()), ports = layout.ports;
  sums.partials = std::max<std::size_t>(1, lanes / 8);
  sums.mzis.resize(layout.mzis * 8 * sums.partials);
  sums.idle.resize(2 * layout.idle.size());
  sums.outputs.resize(2 * ports);
  AlignedVector<T> memory(2 * ports * 2 * registers_at_once * lanes);
  while (count > 0) {
    const std::size_t walked = count >= 4 ? 4 : count >= 2 ? 2 : 1;
    if (walked == 4)
      WalkRegisters<4>(layout, mesh, io, first, tile, memory, sums);
    else if (walked == 2)
      WalkRegisters<2>(layout, mesh, io, first, tile, memory, sums);
    else
      WalkRegisters<1>(layout, mesh, io, first, tile, memory, sums);
    first += walked;
    count -= walked;
  }
}

void WalkBackFloat(const MeshLayout& layout, const InverseMesh<float>& mesh, const BackwardFields<float>& io,
                   std::size_t first, std::size_t count, std::size_t tile, GramSums<float>& sums) {
  WalkBack(layout, mesh, io, first, count, tile, sums);
}
void WalkBackDouble(const MeshLayout& layout, const InverseMesh<double>& mesh, const BackwardFields<double>& io,
                    std::size_t first, std::size_t count, std::size_t tile, GramSums<double>& sums) {
  WalkBack(layout, mesh, io, first, count, tile, sums);
}

}  // namespace HWY_NAMESPACE
}  // namespace optinc
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace optinc {

HWY_EXPORT(WalkBackFloat);
HWY_EXPORT(WalkBackDouble);

void walk_back(const MeshLayout& layout, const InverseMesh<float>& mesh, const BackwardFields<float>& fields,
               std::size_t first_register, std::size_t count, std::size_t tile, GramSums<float>& sums) {
  HWY_DYNAMIC_DISPATCH(WalkBackFloat)(layout, mesh, fields, first_register, count, tile, sums);
}
void walk_back(const MeshLayout& layout, const InverseMesh<double>& mesh, const BackwardFields<double>& fields,
               std::size_t first_register, std::size_t count, std::size_t tile, GramSums<double>& sums) {
  HWY_DYNAMIC_DISPATCH(WalkBackDouble)(layout, mesh, fields, first_register, count, tile, sums);
}

}  // namespace optinc
#endif
