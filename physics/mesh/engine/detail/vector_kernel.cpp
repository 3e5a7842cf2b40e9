#include "physics/mesh/engine/detail/vector_kernel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "physics/mesh/engine/detail/vector_kernel.cpp"
#include <hwy/foreach_target.h>  // this file once more for every SIMD target
#include <hwy/highway.h>

#include "physics/mesh/engine/detail/mzi-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace optinc {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// A column of neighbours. Even and odd ports lie apart, so that upper and lower inputs are two runs of memory.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE void RunColumn(D d, const LayoutColumn& column, const ScaledMesh<T>& mesh, SplitPorts<T>& x) {
  const hn::RebindToSigned<D> di;
  using V = hn::Vec<D>;
  const std::size_t lanes = hn::Lanes(d), last = column.first + column.count;
  const auto start = static_cast<std::size_t>(column.run_start);
  for (std::size_t k = column.first; k < last; k += lanes) {
    const std::size_t port = start + 2 * (k - column.first);
    const ComplexOf<V> upper = {hn::LoadU(d, x.re(port)), hn::LoadU(d, x.im(port))};
    const ComplexOf<V> lower = {hn::LoadU(d, x.re(port + 1)), hn::LoadU(d, x.im(port + 1))};
    const ComplexOf<V> f = {hn::LoadU(d, mesh.f_re() + k), hn::LoadU(d, mesh.f_im() + k)};
    const ComplexOf<V> g = {hn::LoadU(d, mesh.g_re() + k), hn::LoadU(d, mesh.g_im() + k)};
    const auto cross = hn::RebindMask(d, hn::MaskFromVec(hn::LoadU(di, mesh.cross.data() + k)));
    const ComplexOf<V> u = IfThenElse(cross, lower, upper), v = IfThenElse(cross, upper, lower);
    const ComplexOf<V> first = TimesPlus(f, v, u), second = TimesPlus(g, u, v);
    // ports beyond the column keep what they have
    const auto inside = hn::FirstN(d, last - k);
    hn::BlendedStore(first.re, inside, d, x.re(port));
    hn::BlendedStore(first.im, inside, d, x.im(port));
    hn::BlendedStore(second.re, inside, d, x.re(port + 1));
    hn::BlendedStore(second.im, inside, d, x.im(port + 1));
  }
}

/// A column of any pairs, one by one.
template <class T>
void PairColumn(const MeshLayout& layout, const LayoutColumn& column, const ScaledMesh<T>& mesh,
                SplitPorts<T>& x) {
  for (std::size_t k = column.first; k < column.first + column.count; ++k) {
    auto u = static_cast<std::size_t>(layout.upper[k]), v = static_cast<std::size_t>(layout.lower[k]);
    T *to_re[2] = {x.re(u), x.re(v)}, *to_im[2] = {x.im(u), x.im(v)};
    if (mesh.cross[k] != 0) std::swap(u, v);
    const T u_re = *x.re(u), u_im = *x.im(u), v_re = *x.re(v), v_im = *x.im(v);
    const T f_re = mesh.f_re()[k], f_im = mesh.f_im()[k], g_re = mesh.g_re()[k], g_im = mesh.g_im()[k];
    *to_re[0] = u_re + f_re * v_re - f_im * v_im;
    *to_im[0] = u_im + f_re * v_im + f_im * v_re;
    *to_re[1] = v_re + g_re * u_re - g_im * u_im;
    *to_im[1] = v_im + g_re * u_im + g_im * u_re;
  }
}

template <class T>
void Propagate(const MeshLayout& layout, const ScaledMesh<T>& mesh, const FieldPlanes<T>& fields,
               std::size_t words) {
  const hn::ScalableTag<T> d;
  SplitPorts<T> x(layout.ports, hn::Lanes(d));
  for (std::size_t w = 0; w < words; ++w) {
    for (std::size_t p = 0; p < layout.ports; ++p) {
      *x.re(p) = fields.re[p * fields.stride + w];
      *x.im(p) = fields.im[p * fields.stride + w];
    }
    std::size_t scales = 0;
    const auto scaled = [&](std::size_t p) HWY_ATTR {
      const T re = *x.re(p), im = *x.im(p);
      const T s_re = mesh.scale_re[scales + p], s_im = mesh.scale_im[scales + p];
      return std::pair(s_re * re - s_im * im, s_re * im + s_im * re);
    };
    for (std::size_t c = 0; c < layout.columns.size(); ++c) {
      const LayoutColumn& column = layout.columns[c];
      if (column.run_start >= 0)
        RunColumn(d, column, mesh, x);
      else
        PairColumn(layout, column, mesh, x);
      if (!mesh.rescale_after[c]) continue;
      for (std::size_t p = 0; p < layout.ports; ++p) std::tie(*x.re(p), *x.im(p)) = scaled(p);
      scales += layout.ports;
    }
    for (std::size_t p = 0; p < layout.ports; ++p)
      std::tie(fields.re[p * fields.stride + w], fields.im[p * fields.stride + w]) = scaled(p);
  }
}

void VectorsFloat(const MeshLayout& layout, const ScaledMesh<float>& mesh, const FieldPlanes<float>& fields,
                  std::size_t words) {
  Propagate(layout, mesh, fields, words);
}
void VectorsDouble(const MeshLayout& layout, const ScaledMesh<double>& mesh, const FieldPlanes<double>& fields,
                   std::size_t words) {
  Propagate(layout, mesh, fields, words);
}

}  // namespace HWY_NAMESPACE
}  // namespace optinc
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace optinc {

HWY_EXPORT(VectorsFloat);
HWY_EXPORT(VectorsDouble);

void propagate_vectors(const MeshLayout& layout, const ScaledMesh<float>& mesh,
                       const FieldPlanes<float>& fields, std::size_t words) {
  HWY_DYNAMIC_DISPATCH(VectorsFloat)(layout, mesh, fields, words);
}
void propagate_vectors(const MeshLayout& layout, const ScaledMesh<double>& mesh,
                       const FieldPlanes<double>& fields, std::size_t words) {
  HWY_DYNAMIC_DISPATCH(VectorsDouble)(layout, mesh, fields, words);
}

}  // namespace optinc
#endif
