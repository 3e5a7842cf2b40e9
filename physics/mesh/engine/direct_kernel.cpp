#include "physics/mesh/engine/direct_kernel.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "physics/mesh/engine/direct_kernel.cpp"
#include <hwy/aligned_allocator.h>
#include <hwy/foreach_target.h>  // this file once more for every SIMD target
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace optinc {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Fields of one port for a block of two registers of words.
template <class D, class V = hn::Vec<D>>
struct Port {
  V re0, re1, im0, im1;
};

template <class D>
HWY_INLINE Port<D> LoadPort(D d, const hn::TFromD<D>* HWY_RESTRICT x) {
  const std::size_t n = hn::Lanes(d);
  return {hn::Load(d, x), hn::Load(d, x + n), hn::Load(d, x + 2 * n), hn::Load(d, x + 3 * n)};
}

template <class D>
HWY_INLINE void StorePort(D d, const Port<D>& p, hn::TFromD<D>* HWY_RESTRICT x) {
  const std::size_t n = hn::Lanes(d);
  hn::Store(p.re0, d, x);
  hn::Store(p.re1, d, x + n);
  hn::Store(p.im0, d, x + 2 * n);
  hn::Store(p.im1, d, x + 3 * n);
}

/// u + f v
template <class D>
HWY_INLINE Port<D> PortMulAdd(D d, const Port<D>& u, hn::TFromD<D> f_re, hn::TFromD<D> f_im, const Port<D>& v) {
  const auto fr = hn::Set(d, f_re), fi = hn::Set(d, f_im);
  return {hn::NegMulAdd(fi, v.im0, hn::MulAdd(fr, v.re0, u.re0)),
          hn::NegMulAdd(fi, v.im1, hn::MulAdd(fr, v.re1, u.re1)),
          hn::MulAdd(fi, v.re0, hn::MulAdd(fr, v.im0, u.im0)),
          hn::MulAdd(fi, v.re1, hn::MulAdd(fr, v.im1, u.im1))};
}

template <class D>
HWY_INLINE Port<D> PortMul(D d, hn::TFromD<D> f_re, hn::TFromD<D> f_im, const Port<D>& v) {
  const auto fr = hn::Set(d, f_re), fi = hn::Set(d, f_im);
  return {hn::NegMulAdd(fi, v.im0, hn::Mul(fr, v.re0)), hn::NegMulAdd(fi, v.im1, hn::Mul(fr, v.re1)),
          hn::MulAdd(fi, v.re0, hn::Mul(fr, v.im0)), hn::MulAdd(fi, v.re1, hn::Mul(fr, v.im1))};
}

/// Two alternating columns at once: every port is loaded and stored once for both. The first column exchanges
/// inputs of a cross pivot by its load addresses, the second by its store addresses.
template <class D, class T>
HWY_NOINLINE void FusedColumns(D d, const ScaledMzi<T>* HWY_RESTRICT one, std::size_t ones,
                               const ScaledMzi<T>* HWY_RESTRICT two, std::size_t ports, T* HWY_RESTRICT block) {
  const std::size_t pitch = 4 * hn::Lanes(d);
  Port<D> u = LoadPort(d, block + (one[0].cross ? pitch : 0)),
          v = LoadPort(d, block + (one[0].cross ? 0 : pitch));
  StorePort(d, PortMulAdd(d, u, one[0].f_re, one[0].f_im, v), block);
  Port<D> carried = PortMulAdd(d, v, one[0].g_re, one[0].g_im, u);
  T* HWY_RESTRICT at = block + pitch;  // port 2k - 1
  for (std::size_t k = 1; k < ones; ++k, at += 2 * pitch) {
    const ScaledMzi<T>& m = one[k];
    const ScaledMzi<T>& w = two[k - 1];
    const std::size_t swap = m.cross ? pitch : 0;
    u = LoadPort(d, at + pitch + swap);
    v = LoadPort(d, at + 2 * pitch - swap);
    const Port<D> upper = PortMulAdd(d, u, m.f_re, m.f_im, v);
    const Port<D> lower = PortMulAdd(d, v, m.g_re, m.g_im, u);
    // cross: y1 = x2 + f x1 and y2 = x1 + g x2, so what starts from x2 goes up
    const std::size_t exchange = w.cross ? pitch : 0;
    const T* HWY_RESTRICT h = &w.f_re;
    const std::size_t up = w.cross ? 2 : 0, down = 2 - up;
    StorePort(d, PortMulAdd(d, carried, h[up], h[up + 1], upper), at + exchange);
    StorePort(d, PortMulAdd(d, upper, h[down], h[down + 1], carried), at + pitch - exchange);
    carried = lower;
  }
  if (ports % 2 == 0) {
    StorePort(d, carried, at);
    return;
  }
  const ScaledMzi<T>& w = two[ones - 1];
  const Port<D> upper = LoadPort(d, at + pitch);
  const std::size_t exchange = w.cross ? pitch : 0, up = w.cross ? 2 : 0, down = 2 - up;
  const T* HWY_RESTRICT h = &w.f_re;
  StorePort(d, PortMulAdd(d, carried, h[up], h[up + 1], upper), at + exchange);
  StorePort(d, PortMulAdd(d, upper, h[down], h[down + 1], carried), at + pitch - exchange);
}

/// One column of any disjoint pairs.
template <class D, class T>
HWY_NOINLINE void Column(D d, const ScaledMzi<T>* HWY_RESTRICT mzis, std::size_t count, T* HWY_RESTRICT block) {
  const std::size_t pitch = 4 * hn::Lanes(d);
  for (std::size_t k = 0; k < count; ++k) {
    const ScaledMzi<T>& m = mzis[k];
    T* HWY_RESTRICT upper = block + static_cast<std::size_t>(m.upper) * pitch;
    T* HWY_RESTRICT lower = block + static_cast<std::size_t>(m.lower) * pitch;
    const Port<D> u = LoadPort(d, m.cross ? lower : upper), v = LoadPort(d, m.cross ? upper : lower);
    StorePort(d, PortMulAdd(d, u, m.f_re, m.f_im, v), upper);
    StorePort(d, PortMulAdd(d, v, m.g_re, m.g_im, u), lower);
  }
}

template <class D, class T>
HWY_INLINE void Rescale(D d, const T* HWY_RESTRICT re, const T* HWY_RESTRICT im, std::size_t ports,
                        T* HWY_RESTRICT block) {
  const std::size_t pitch = 4 * hn::Lanes(d);
  for (std::size_t p = 0; p < ports; ++p)
    StorePort(d, PortMul(d, re[p], im[p], LoadPort(d, block + p * pitch)), block + p * pitch);
}

template <class T>
void Propagate(const ScaledMesh<T>& mesh, T* re, T* im, std::size_t stride, std::size_t words) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d), width = 2 * lanes, ports = static_cast<std::size_t>(mesh.ports);
  const auto block = hwy::AllocateAligned<T>(ports * 2 * width);
  for (std::size_t first = 0; first < words; first += width) {
    const std::size_t count = std::min(width, words - first);
    for (std::size_t p = 0; p < ports; ++p) {
      T* HWY_RESTRICT b = block.get() + p * 2 * width;
      const T* from_re = re + p * stride + first;
      const T* from_im = im + p * stride + first;
      std::copy_n(from_re, count, b);
      std::copy_n(from_im, count, b + width);
      std::fill(b + count, b + width, T(0));
      std::fill(b + width + count, b + 2 * width, T(0));
    }
    std::size_t rescaling = 0;
    for (const ScaledColumns& c : mesh.columns) {
      const auto* one = mesh.mzis.data() + c.first;
      if (c.fused)
        FusedColumns(d, one, c.count, mesh.mzis.data() + c.second_first, ports, block.get());
      else
        Column(d, one, c.count, block.get());
      if (!c.rescale_after) continue;
      Rescale(d, mesh.scale_re.data() + rescaling * ports, mesh.scale_im.data() + rescaling * ports, ports,
              block.get());
      ++rescaling;
    }
    Rescale(d, mesh.scale_re.data() + rescaling * ports, mesh.scale_im.data() + rescaling * ports, ports,
            block.get());
    for (std::size_t p = 0; p < ports; ++p) {
      const T* b = block.get() + p * 2 * width;
      std::copy_n(b, count, re + p * stride + first);
      std::copy_n(b + width, count, im + p * stride + first);
    }
  }
}

void PropagateFloat(const ScaledMesh<float>& mesh, float* re, float* im, std::size_t stride,
                    std::size_t words) {
  Propagate(mesh, re, im, stride, words);
}
void PropagateDouble(const ScaledMesh<double>& mesh, double* re, double* im, std::size_t stride,
                     std::size_t words) {
  Propagate(mesh, re, im, stride, words);
}

}  // namespace HWY_NAMESPACE
}  // namespace optinc
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace optinc {

HWY_EXPORT(PropagateFloat);
HWY_EXPORT(PropagateDouble);

void propagate_scaled(const ScaledMesh<float>& mesh, float* re, float* im, std::size_t stride,
                      std::size_t words) {
  HWY_DYNAMIC_DISPATCH(PropagateFloat)(mesh, re, im, stride, words);
}
void propagate_scaled(const ScaledMesh<double>& mesh, double* re, double* im, std::size_t stride,
                      std::size_t words) {
  HWY_DYNAMIC_DISPATCH(PropagateDouble)(mesh, re, im, stride, words);
}

}  // namespace optinc
#endif
