#include "physics/mesh/engine/detail/settle_kernel.hpp"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "physics/mesh/engine/detail/settle_kernel.cpp"
#include <hwy/foreach_target.h>  // this file once more for every SIMD target
#include <hwy/highway.h>

#include "physics/mesh/engine/detail/mzi-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace optinc {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Factors of one column's MZIs; scales go from in front of it to behind it. Returns whether all are finite.
/// `contiguous`: the column is a run of neighbours, and a register from any of its MZIs on is inside the mesh;
/// the loop then is nothing but arithmetic, which is a third faster.
template <bool contiguous, class Source, class D, class T = hn::TFromD<D>, class V = hn::Vec<D>>
HWY_INLINE bool SettleColumn(D d, const MeshLayout& layout, const LayoutColumn& column, const Source& source,
                             SplitPorts<T>& scales, ScaledMesh<T>& mesh) {
  using Flag = typename ScaledMesh<T>::Flag;
  const hn::RebindToSigned<D> di;
  T* HWY_RESTRICT factors = mesh.factors.data() + column.first;
  Flag* HWY_RESTRICT flags = mesh.cross.data() + column.first;
  const std::size_t start = contiguous ? static_cast<std::size_t>(column.run_start) : 0;
  T *upper_re = scales.re(start), *upper_im = scales.im(start);
  T *lower_re = scales.re(start + 1), *lower_im = scales.im(start + 1);
  auto finite = hn::Eq(hn::Zero(d), hn::Zero(d));
  for (std::size_t i = 0; i < column.count; i += hn::Lanes(d)) {
    const std::size_t k = column.first + i;
    ComplexOf<V> upper, lower;
    if constexpr (contiguous) {
      upper = {hn::LoadU(d, upper_re + i), hn::LoadU(d, upper_im + i)};
      lower = {hn::LoadU(d, lower_re + i), hn::LoadU(d, lower_im + i)};
    } else {
      LoadScales(d, scales, layout, column, k, column.count - i, upper, lower);
    }
    const auto t = BehindScales(source.template Load<contiguous>(d, k), upper, lower);
    const auto step = ScaleAs(d, NeedsCross(d, t), t);
    if constexpr (contiguous) {  // beyond the run: idle ports of the column, which the caller restores
      hn::StoreU(step.first_scale.re, d, upper_re + i);
      hn::StoreU(step.first_scale.im, d, upper_im + i);
      hn::StoreU(step.second_scale.re, d, lower_re + i);
      hn::StoreU(step.second_scale.im, d, lower_im + i);
    } else {
      StoreScales(d, scales, layout, column, k, column.count - i, step.first_scale, step.second_scale);
    }
    // lanes beyond the column write over what the next column writes again
    hn::StoreU(step.f.re, d, factors + i);
    hn::StoreU(step.f.im, d, factors + mesh.pitch + i);
    hn::StoreU(step.g.re, d, factors + 2 * mesh.pitch + i);
    hn::StoreU(step.g.im, d, factors + 3 * mesh.pitch + i);
    hn::StoreU(hn::VecFromMask(di, hn::RebindMask(di, step.cross)), di, flags + i);
    const V sum = hn::Add(hn::Add(step.f.re, step.f.im), hn::Add(step.g.re, step.g.im));
    finite = hn::And(finite, hn::Or(hn::IsFinite(sum), hn::Not(hn::FirstN(d, column.count - i))));
  }
  return hn::AllTrue(d, finite);
}

template <template <class...> class SourceOf, class Parameters, class T>
bool Settle(const MeshLayout& layout, const Parameters& parameters, ScaledMesh<T>& mesh) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d), ports = layout.ports, columns = layout.columns.size();
  mesh.pitch = layout.mzis + lanes;
  mesh.factors.resize(4 * mesh.pitch);
  mesh.cross.resize(mesh.pitch);
  mesh.rescale_after.assign(columns, false);
  mesh.scale_re.clear();
  mesh.scale_im.clear();

  const SourceOf<decltype(d)> source(d, layout, parameters);
  const std::size_t interval = columns_per_rescale(source.lossiest_db);

  SplitPorts<T> scales(ports, lanes);
  std::vector<T> idle_re, idle_im;
  const auto store_scales = [&](std::size_t beyond) HWY_ATTR {
    const std::size_t stored = mesh.scale_re.size();
    mesh.scale_re.resize(stored + ports + beyond);
    mesh.scale_im.resize(stored + ports + beyond);
    T* HWY_RESTRICT re = mesh.scale_re.data() + stored;
    T* HWY_RESTRICT im = mesh.scale_im.data() + stored;
    for (std::size_t p = 0; p < ports; ++p) {
      re[p] = *scales.re(p);
      im[p] = *scales.im(p);
    }
  };
  const auto port = [](std::int32_t p) HWY_ATTR { return static_cast<std::size_t>(p); };
  bool finite = source.usable;
  std::size_t since = 0;
  for (std::size_t c = 0; c < columns; ++c) {
    const LayoutColumn& column = layout.columns[c];
    const std::int32_t* idle = layout.idle.data() + column.first_idle;
    idle_re.clear();
    idle_im.clear();
    for (std::size_t i = 0; i < column.idle_count; ++i) {
      idle_re.push_back(*scales.re(port(idle[i])));
      idle_im.push_back(*scales.im(port(idle[i])));
    }
    const bool contiguous = column.run_start >= 0 && column.first + column.count + lanes <= layout.mzis;
    finite &= contiguous ? SettleColumn<true>(d, layout, column, source, scales, mesh)
                         : SettleColumn<false>(d, layout, column, source, scales, mesh);
    for (std::size_t i = 0; i < column.idle_count; ++i) {
      *scales.re(port(idle[i])) = source.idle_factor * idle_re[i];
      *scales.im(port(idle[i])) = source.idle_factor * idle_im[i];
    }
    ++since;
    if (since < interval || column.fused_with_next || c + 1 == columns) continue;
    mesh.rescale_after[c] = true;
    store_scales(0);
    scales.set_ones();
    since = 0;
  }
  store_scales(lanes);
  const std::size_t last = mesh.scale_re.size() - lanes - ports;
  for (std::size_t p = 0; p < ports; p += lanes) {  // the output screen
    T* re = mesh.scale_re.data() + last + p;
    T* im = mesh.scale_im.data() + last + p;
    const ComplexOf<hn::Vec<decltype(d)>> scale = {hn::LoadU(d, re), hn::LoadU(d, im)};
    const auto turned = Times(scale, source.Screen(d, p, ports - p));
    hn::StoreU(turned.re, d, re);
    hn::StoreU(turned.im, d, im);
  }
  for (std::size_t p = last; p < last + ports; ++p)
    finite &= std::isfinite(mesh.scale_re[p]) && std::isfinite(mesh.scale_im[p]);
  return finite;
}

bool SettleFloat(const MeshLayout& layout, const MeshParameters<float>& parameters, ScaledMesh<float>& mesh) {
  return Settle<FromDevices>(layout, parameters, mesh);
}
bool SettleDouble(const MeshLayout& layout, const MeshParameters<double>& parameters,
                  ScaledMesh<double>& mesh) {
  return Settle<FromDevices>(layout, parameters, mesh);
}
bool SettleBlocksFloat(const MeshLayout& layout, const BlockParameters<float>& blocks,
                       ScaledMesh<float>& mesh) {
  return Settle<FromBlocks>(layout, blocks, mesh);
}
bool SettleBlocksDouble(const MeshLayout& layout, const BlockParameters<double>& blocks,
                        ScaledMesh<double>& mesh) {
  return Settle<FromBlocks>(layout, blocks, mesh);
}

}  // namespace HWY_NAMESPACE
}  // namespace optinc
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace optinc {

HWY_EXPORT(SettleFloat);
HWY_EXPORT(SettleDouble);
HWY_EXPORT(SettleBlocksFloat);
HWY_EXPORT(SettleBlocksDouble);

bool settle_scaled(const MeshLayout& layout, const MeshParameters<float>& parameters, ScaledMesh<float>& mesh) {
  return HWY_DYNAMIC_DISPATCH(SettleFloat)(layout, parameters, mesh);
}
bool settle_scaled(const MeshLayout& layout, const MeshParameters<double>& parameters,
                   ScaledMesh<double>& mesh) {
  return HWY_DYNAMIC_DISPATCH(SettleDouble)(layout, parameters, mesh);
}
bool settle_scaled(const MeshLayout& layout, const BlockParameters<float>& blocks, ScaledMesh<float>& mesh) {
  return HWY_DYNAMIC_DISPATCH(SettleBlocksFloat)(layout, blocks, mesh);
}
bool settle_scaled(const MeshLayout& layout, const BlockParameters<double>& blocks, ScaledMesh<double>& mesh) {
  return HWY_DYNAMIC_DISPATCH(SettleBlocksDouble)(layout, blocks, mesh);
}

std::size_t columns_per_rescale(double loss_db) {
  // 96 dB: scales stay above 1e-5, and the products of four that decide on the pivot within float
  const double columns = 96.0 / (3.0 + std::max(0.0, loss_db));
  return static_cast<std::size_t>(std::clamp(columns, 2.0, 32.0)) & ~std::size_t{1};
}

}  // namespace optinc
#endif
