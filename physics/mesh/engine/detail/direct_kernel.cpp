#include "physics/mesh/engine/detail/direct_kernel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "physics/mesh/engine/detail/direct_kernel.cpp"
#include <hwy/foreach_target.h>  // this file once more for every SIMD target
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace optinc {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Fields of one port for a block of R registers of words.
template <class D, std::size_t R, class V = hn::Vec<D>>
struct Port {
  V re[R], im[R];
};

/// Numbers from one port to the next.
template <class D, std::size_t R>
HWY_INLINE std::size_t Pitch(D d) {
  return 2 * R * hn::Lanes(d);
}

template <std::size_t R, class D>
HWY_INLINE Port<D, R> LoadPort(D d, const hn::TFromD<D>* HWY_RESTRICT x) {
  const std::size_t n = hn::Lanes(d);
  Port<D, R> p;
  for (std::size_t i = 0; i < R; ++i) {
    p.re[i] = hn::Load(d, x + i * n);
    p.im[i] = hn::Load(d, x + (R + i) * n);
  }
  return p;
}

template <class D, std::size_t R>
HWY_INLINE void StorePort(D d, const Port<D, R>& p, hn::TFromD<D>* HWY_RESTRICT x) {
  const std::size_t n = hn::Lanes(d);
  for (std::size_t i = 0; i < R; ++i) {
    hn::Store(p.re[i], d, x + i * n);
    hn::Store(p.im[i], d, x + (R + i) * n);
  }
}

/// u + f v
template <class D, std::size_t R>
HWY_INLINE Port<D, R> PortMulAdd(D d, const Port<D, R>& u, hn::TFromD<D> f_re, hn::TFromD<D> f_im,
                                 const Port<D, R>& v) {
  const auto fr = hn::Set(d, f_re), fi = hn::Set(d, f_im);
  Port<D, R> p;
  for (std::size_t i = 0; i < R; ++i) {
    p.re[i] = hn::NegMulAdd(fi, v.im[i], hn::MulAdd(fr, v.re[i], u.re[i]));
    p.im[i] = hn::MulAdd(fi, v.re[i], hn::MulAdd(fr, v.im[i], u.im[i]));
  }
  return p;
}

template <class D, std::size_t R>
HWY_INLINE Port<D, R> PortMul(D d, hn::TFromD<D> f_re, hn::TFromD<D> f_im, const Port<D, R>& v) {
  const auto fr = hn::Set(d, f_re), fi = hn::Set(d, f_im);
  Port<D, R> p;
  for (std::size_t i = 0; i < R; ++i) {
    p.re[i] = hn::NegMulAdd(fi, v.im[i], hn::Mul(fr, v.re[i]));
    p.im[i] = hn::MulAdd(fi, v.re[i], hn::Mul(fr, v.im[i]));
  }
  return p;
}

/// Factors of the MZIs from one on.
template <class T>
struct Factors {
  const T* HWY_RESTRICT re;  ///< f; g lies `to_g` behind
  const T* HWY_RESTRICT im;
  const typename ScaledMesh<T>::Flag* HWY_RESTRICT cross;
  std::size_t to_g;

  Factors(const ScaledMesh<T>& mesh, std::size_t first)
      : re(mesh.f_re() + first),
        im(mesh.f_im() + first),
        cross(mesh.cross.data() + first),
        to_g(2 * mesh.pitch) {}
  /// `amount` for a cross pivot, 0 for a bar pivot.
  std::size_t if_cross(std::size_t k, std::size_t amount) const {
    return static_cast<std::size_t>(cross[k]) & amount;
  }
};

/// Two alternating columns at once: every port is loaded and stored once for both. The first column exchanges
/// inputs of a cross pivot by its load addresses, the second by its store addresses.
template <std::size_t R, class D, class T>
HWY_INLINE void FusedColumns(D d, const Factors<T> one, std::size_t ones, const Factors<T> two,
                             std::size_t ports, T* HWY_RESTRICT block) {
  const std::size_t pitch = Pitch<D, R>(d), to_g = one.to_g;
  const std::size_t first_swap = one.if_cross(0, pitch);
  Port<D, R> u = LoadPort<R>(d, block + first_swap), v = LoadPort<R>(d, block + pitch - first_swap);
  StorePort(d, PortMulAdd(d, u, one.re[0], one.im[0], v), block);
  Port<D, R> carried = PortMulAdd(d, v, one.re[to_g], one.im[to_g], u);
  T* HWY_RESTRICT at = block + pitch;  // port 2k - 1
  // MZI k of the second column on what was carried and `upper`. Cross: y1 = x2 + f x1 and y2 = x1 + g x2, so
  // what starts from x2 goes up
  const auto second = [&](std::size_t k, const Port<D, R>& upper) HWY_ATTR {
    const std::size_t exchange = two.if_cross(k, pitch), up = k + two.if_cross(k, to_g);
    const std::size_t down = 2 * k + to_g - up;
    StorePort(d, PortMulAdd(d, carried, two.re[up], two.im[up], upper), at + exchange);
    StorePort(d, PortMulAdd(d, upper, two.re[down], two.im[down], carried), at + pitch - exchange);
  };
  for (std::size_t k = 1; k < ones; ++k, at += 2 * pitch) {
    const std::size_t swap = one.if_cross(k, pitch);
    u = LoadPort<R>(d, at + pitch + swap);
    v = LoadPort<R>(d, at + 2 * pitch - swap);
    const Port<D, R> upper = PortMulAdd(d, u, one.re[k], one.im[k], v);
    const Port<D, R> lower = PortMulAdd(d, v, one.re[k + to_g], one.im[k + to_g], u);
    second(k - 1, upper);
    carried = lower;
  }
  if (ports % 2 == 0)
    StorePort(d, carried, at);
  else
    second(ones - 1, LoadPort<R>(d, at + pitch));
}

/// One column of any disjoint pairs.
template <std::size_t R, class D, class T>
HWY_NOINLINE void Column(D d, const MeshLayout& layout, const LayoutColumn& column, const Factors<T> f,
                         T* HWY_RESTRICT block) {
  const std::size_t pitch = Pitch<D, R>(d);
  for (std::size_t k = 0; k < column.count; ++k) {
    T* HWY_RESTRICT upper = block + static_cast<std::size_t>(layout.upper[column.first + k]) * pitch;
    T* HWY_RESTRICT lower = block + static_cast<std::size_t>(layout.lower[column.first + k]) * pitch;
    const bool cross = f.cross[k] != 0;
    const Port<D, R> u = LoadPort<R>(d, cross ? lower : upper), v = LoadPort<R>(d, cross ? upper : lower);
    StorePort(d, PortMulAdd(d, u, f.re[k], f.im[k], v), upper);
    StorePort(d, PortMulAdd(d, v, f.re[k + f.to_g], f.im[k + f.to_g], u), lower);
  }
}

template <std::size_t R, class D, class T>
HWY_INLINE void Rescale(D d, const T* HWY_RESTRICT re, const T* HWY_RESTRICT im, std::size_t ports,
                        T* HWY_RESTRICT block) {
  const std::size_t pitch = Pitch<D, R>(d);
  for (std::size_t p = 0; p < ports; ++p)
    StorePort(d, PortMul(d, re[p], im[p], LoadPort<R>(d, block + p * pitch)), block + p * pitch);
}

template <std::size_t R, class T>
void PropagateWide(const MeshLayout& layout, const ScaledMesh<T>& mesh, FieldBlocks<T>& fields,
                   std::size_t first, std::size_t count) {
  const hn::ScalableTag<T> d;
  const std::size_t ports = layout.ports;
  for (std::size_t b = first; b < first + count; ++b) {
    T* HWY_RESTRICT block = fields.block(b);
    const T* scale_re = mesh.scale_re.data();
    const T* scale_im = mesh.scale_im.data();
    for (std::size_t c = 0; c < layout.columns.size(); ++c) {
      const LayoutColumn& column = layout.columns[c];
      const Factors<T> one(mesh, column.first);
      if (column.fused_with_next) {
        ++c;
        FusedColumns<R>(d, one, column.count, Factors<T>(mesh, layout.columns[c].first), ports, block);
      } else {
        Column<R>(d, layout, column, one, block);
      }
      if (!mesh.rescale_after[c]) continue;
      Rescale<R>(d, scale_re, scale_im, ports, block);
      scale_re += ports;
      scale_im += ports;
    }
    Rescale<R>(d, scale_re, scale_im, ports, block);
  }
}

template <class T>
void Propagate(const MeshLayout& layout, const ScaledMesh<T>& mesh, FieldBlocks<T>& fields, std::size_t first,
               std::size_t count) {
  if (fields.width == hn::Lanes(hn::ScalableTag<T>()))
    PropagateWide<1>(layout, mesh, fields, first, count);
  else
    PropagateWide<2>(layout, mesh, fields, first, count);
}

void PropagateFloat(const MeshLayout& layout, const ScaledMesh<float>& mesh, FieldBlocks<float>& fields,
                    std::size_t first, std::size_t count) {
  Propagate(layout, mesh, fields, first, count);
}
void PropagateDouble(const MeshLayout& layout, const ScaledMesh<double>& mesh, FieldBlocks<double>& fields,
                     std::size_t first, std::size_t count) {
  Propagate(layout, mesh, fields, first, count);
}

}  // namespace HWY_NAMESPACE
}  // namespace optinc
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace optinc {

HWY_EXPORT(PropagateFloat);
HWY_EXPORT(PropagateDouble);

void propagate_direct(const MeshLayout& layout, const ScaledMesh<float>& mesh, FieldBlocks<float>& fields,
                      std::size_t first_block, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(PropagateFloat)(layout, mesh, fields, first_block, count);
}
void propagate_direct(const MeshLayout& layout, const ScaledMesh<double>& mesh, FieldBlocks<double>& fields,
                      std::size_t first_block, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(PropagateDouble)(layout, mesh, fields, first_block, count);
}

}  // namespace optinc
#endif
