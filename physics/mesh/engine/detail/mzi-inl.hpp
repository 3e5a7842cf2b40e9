// A register of MZIs at once: transfer matrices from parameters, and their scaled form. Compiled once per SIMD
// target; see physics/simd/detail/sincos-inl.hpp.

#if defined(OPTINC_PHYSICS_MESH_ENGINE_MZI_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef OPTINC_PHYSICS_MESH_ENGINE_MZI_INL_HPP
#undef OPTINC_PHYSICS_MESH_ENGINE_MZI_INL_HPP
#else
#define OPTINC_PHYSICS_MESH_ENGINE_MZI_INL_HPP
#endif

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "physics/core/aligned.hpp"
#include "physics/mesh/engine/mesh_layout.hpp"
#include "physics/mesh/engine/scaled_mesh.hpp"
#include "physics/simd/detail/sincos-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace optinc {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Complex numbers, one a lane.
template <class V>
struct ComplexOf {
  V re, im;
};

template <class V>
HWY_INLINE ComplexOf<V> Times(const ComplexOf<V>& a, const ComplexOf<V>& b) {
  return {hn::NegMulAdd(a.im, b.im, hn::Mul(a.re, b.re)), hn::MulAdd(a.im, b.re, hn::Mul(a.re, b.im))};
}
/// a conj(b)
template <class V>
HWY_INLINE ComplexOf<V> TimesConj(const ComplexOf<V>& a, const ComplexOf<V>& b) {
  return {hn::MulAdd(a.im, b.im, hn::Mul(a.re, b.re)), hn::NegMulAdd(a.re, b.im, hn::Mul(a.im, b.re))};
}
/// a b for real b
template <class V>
HWY_INLINE ComplexOf<V> Stretch(const ComplexOf<V>& a, V b) {
  return {hn::Mul(a.re, b), hn::Mul(a.im, b)};
}
/// a b + c
template <class V>
HWY_INLINE ComplexOf<V> TimesPlus(const ComplexOf<V>& a, const ComplexOf<V>& b, const ComplexOf<V>& c) {
  return {hn::NegMulAdd(a.im, b.im, hn::MulAdd(a.re, b.re, c.re)),
          hn::MulAdd(a.im, b.re, hn::MulAdd(a.re, b.im, c.im))};
}
template <class V>
HWY_INLINE ComplexOf<V> TimesI(const ComplexOf<V>& a) {
  return {hn::Neg(a.im), a.re};
}
template <class V>
HWY_INLINE ComplexOf<V> Conj(const ComplexOf<V>& a) {
  return {a.re, hn::Neg(a.im)};
}
template <class V>
HWY_INLINE V Norm(const ComplexOf<V>& a) {
  return hn::MulAdd(a.re, a.re, hn::Mul(a.im, a.im));
}
template <class M, class V>
HWY_INLINE ComplexOf<V> IfThenElse(M mask, const ComplexOf<V>& yes, const ComplexOf<V>& no) {
  return {hn::IfThenElse(mask, yes.re, no.re), hn::IfThenElse(mask, yes.im, no.im)};
}

/// A register from memory that may end before the register does; lanes beyond the end are zero.
template <class D>
HWY_INLINE hn::Vec<D> LoadUpTo(D d, const hn::TFromD<D>* HWY_RESTRICT from, std::size_t count) {
  if (HWY_LIKELY(count >= hn::Lanes(d))) return hn::LoadU(d, from);
  HWY_ALIGN hn::TFromD<D> padded[hn::MaxLanes(d)] = {};
  std::copy_n(from, count, padded);
  return hn::Load(d, padded);
}
/// The way back: writes no more than `count` lanes.
template <class D>
HWY_INLINE void StoreUpTo(D d, hn::Vec<D> v, hn::TFromD<D>* HWY_RESTRICT to, std::size_t count) {
  if (HWY_LIKELY(count >= hn::Lanes(d))) return hn::StoreU(v, d, to);
  HWY_ALIGN hn::TFromD<D> padded[hn::MaxLanes(d)];
  hn::Store(v, d, padded);
  std::copy_n(padded, count, to);
}

/// Field ratio of a loss, 10^(-dB/20).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V FieldRatio(D d, V loss_db) {
  return hn::Exp(d, hn::Mul(loss_db, hn::Set(d, static_cast<hn::TFromD<D>>(-0.115129254649702284))));
}

/// What the parts of an MZI contribute, from which its matrix and the matrix's derivatives follow:
/// T = DC(pi/4+beta) diag(inner, inner_other) DC(pi/4+alpha) diag(outer, outer_other)
template <class V>
struct MziParts {
  ComplexOf<V> inner, outer;   ///< g_u e^{i theta}, h_u e^{i phi}
  V inner_other, outer_other;  ///< g_l, h_l
  V cos_cos, sin_sin;          ///< cos cos, sin sin of (second, first) splitter angle
  V sin_cos, cos_sin;          ///< sin(second) cos(first), cos(second) sin(first)
};

/// Field ratios that a whole mesh has in common.
template <class V>
struct CommonRatios {
  V idle;        ///< a dummy arm
  bool alike;    ///< each of the four arms loses the same in every MZI: no exponential for each
  bool small;    ///< no splitter error is larger than pi/4: no range reduction for them
  bool perfect;  ///< none is there at all
  bool usable;   ///< losses are finite (an exponential would hide that) and phases not beyond largest_phase_rad
  V inner, outer, inner_other, outer_other;  ///< ratios of the four, where alike
};

/// Finds them, and the largest loss of any way through an MZI, dB.
template <class D, class T, class V = hn::Vec<D>>
HWY_INLINE CommonRatios<V> FindCommonRatios(D d, const MeshParameters<T>& p, std::size_t mzis,
                                            double& lossiest_db) {
  const V idle = FieldRatio(d, hn::Set(d, p.idle_arm_loss_db));
  lossiest_db = 2.0 * static_cast<double>(p.idle_arm_loss_db);
  const bool idle_finite = std::isfinite(p.idle_arm_loss_db);
  if (mzis == 0) return {idle, true, true, true, idle_finite, idle, idle, idle, idle};
  const V inner = hn::Set(d, p.theta_arm_loss_db[0]), outer = hn::Set(d, p.phi_arm_loss_db[0]);
  const V inner_other = hn::Set(d, p.theta_other_loss_db[0]), outer_other = hn::Set(d, p.phi_other_loss_db[0]);
  V most = hn::Add(inner, outer), largest = hn::Zero(d), largest_phase = hn::Zero(d);
  auto alike = hn::Eq(most, most), perfect = alike, finite = hn::IsFinite(most);
  for (std::size_t k = 0; k < mzis; k += hn::Lanes(d)) {
    const V theta = LoadUpTo(d, p.theta_arm_loss_db + k, mzis - k),
            phi = LoadUpTo(d, p.phi_arm_loss_db + k, mzis - k),
            theta_other = LoadUpTo(d, p.theta_other_loss_db + k, mzis - k),
            phi_other = LoadUpTo(d, p.phi_other_loss_db + k, mzis - k);
    most = hn::Max(most, hn::Add(hn::Max(theta, theta_other), hn::Max(phi, phi_other)));
    finite = hn::And(finite, hn::IsFinite(hn::Add(hn::Add(theta, phi), hn::Add(theta_other, phi_other))));
    const auto phase = [&](const T* settings, const T* offsets) HWY_ATTR {
      return hn::Abs(hn::Add(LoadUpTo(d, settings + k, mzis - k), LoadUpTo(d, offsets + k, mzis - k)));
    };
    largest_phase = hn::Max(largest_phase, hn::Max(phase(p.theta, p.theta_offset), phase(p.phi, p.phi_offset)));
    const V alpha = hn::Abs(LoadUpTo(d, p.alpha + k, mzis - k)),
            beta = hn::Abs(LoadUpTo(d, p.beta + k, mzis - k));
    largest = hn::Max(largest, hn::Max(alpha, beta));
    perfect = hn::And(perfect, hn::Eq(hn::Add(alpha, beta), hn::Zero(d)));  // a maximum might lose a NaN
    const auto same = hn::And(hn::And(hn::Eq(theta, inner), hn::Eq(phi, outer)),
                              hn::And(hn::Eq(theta_other, inner_other), hn::Eq(phi_other, outer_other)));
    alike = hn::And(alike, hn::Or(same, hn::Not(hn::FirstN(d, mzis - k))));
  }
  const bool small = hn::AllTrue(d, hn::Le(largest, hn::Set(d, static_cast<T>(0.785))));
  const bool usable = idle_finite && hn::AllTrue(d, finite) &&
                      hn::AllTrue(d, hn::Le(hn::Max(largest_phase, largest), hn::Set(d, largest_phase_rad<T>)));
  lossiest_db = std::max(lossiest_db, static_cast<double>(hn::GetLane(hn::MaxOfLanes(d, most))));
  return {idle,
          hn::AllTrue(d, alike),
          small,
          hn::AllTrue(d, perfect),
          usable,
          FieldRatio(d, inner),
          FieldRatio(d, outer),
          FieldRatio(d, inner_other),
          FieldRatio(d, outer_other)};
}

/// Parts of MZIs k, k + 1, .. of `left` that are left in the mesh. `whole`: left is a register at least (known
/// when compiling, the loads need not ask).
template <bool whole = false, class D, class T, class V = hn::Vec<D>>
HWY_INLINE MziParts<V> LoadMzis(D d, const MeshParameters<T>& p, const CommonRatios<V>& common, std::size_t k,
                                std::size_t left) {
  const auto load = [&](const T* from) HWY_ATTR {
    if constexpr (whole) return hn::LoadU(d, from + k);
    return LoadUpTo(d, from + k, left);
  };
  const auto inner = SinCos(d, hn::Add(load(p.theta), load(p.theta_offset)));
  const auto outer = SinCos(d, hn::Add(load(p.phi), load(p.phi_offset)));
  // cos and sin of pi/4 + alpha are (cos alpha -+ sin alpha) / sqrt(2): a perfect splitter then halves exactly,
  // where pi/4 rounded to float would be wrong alike in every MZI
  const V half = hn::Set(d, static_cast<T>(0.5));
  V first_cos = hn::Set(d, static_cast<T>(1)), first_sin = first_cos, second_cos = half, second_sin = half;
  if (!common.perfect) {
    const V first_error = load(p.alpha), second_error = load(p.beta);
    const auto alpha = common.small ? SinCosSmall(d, first_error) : SinCos(d, first_error);
    const auto beta = common.small ? SinCosSmall(d, second_error) : SinCos(d, second_error);
    first_cos = hn::Sub(alpha.cosine, alpha.sine);
    first_sin = hn::Add(alpha.cosine, alpha.sine);
    second_cos = hn::Mul(half, hn::Sub(beta.cosine, beta.sine));
    second_sin = hn::Mul(half, hn::Add(beta.cosine, beta.sine));
  }
  V inner_ratio = common.inner, outer_ratio = common.outer;
  V inner_other = common.inner_other, outer_other = common.outer_other;
  if (!common.alike) {
    inner_ratio = FieldRatio(d, load(p.theta_arm_loss_db));
    outer_ratio = FieldRatio(d, load(p.phi_arm_loss_db));
    inner_other = FieldRatio(d, load(p.theta_other_loss_db));
    outer_other = FieldRatio(d, load(p.phi_other_loss_db));
  }
  return {Stretch(ComplexOf<V>{inner.cosine, inner.sine}, inner_ratio),
          Stretch(ComplexOf<V>{outer.cosine, outer.sine}, outer_ratio),
          inner_other,
          outer_other,
          hn::Mul(second_cos, first_cos),
          hn::Mul(second_sin, first_sin),
          hn::Mul(second_sin, first_cos),
          hn::Mul(second_cos, first_sin)};
}

/// [[a, b], [c, d]], one matrix a lane.
template <class V>
struct Matrix2Of {
  ComplexOf<V> a, b, c, d;
};

template <class V>
HWY_INLINE Matrix2Of<V> TransferMatrix(const MziParts<V>& p) {
  // With e = inner, l = inner_other: DC diag(e, l) DC = [[cc e - ss l, i (cs e + sc l)], [i (sc e + cs l), cc l
  // - ss e]]
  const auto mix = [](V x, const ComplexOf<V>& e, V constant) HWY_ATTR {
    return ComplexOf<V>{hn::MulAdd(x, e.re, constant), hn::Mul(x, e.im)};
  };
  const ComplexOf<V> m00 = mix(p.cos_cos, p.inner, hn::Neg(hn::Mul(p.sin_sin, p.inner_other)));
  const ComplexOf<V> m01 = mix(p.cos_sin, p.inner, hn::Mul(p.sin_cos, p.inner_other));
  const ComplexOf<V> m10 = mix(p.sin_cos, p.inner, hn::Mul(p.cos_sin, p.inner_other));
  const ComplexOf<V> m11 = mix(hn::Neg(p.sin_sin), p.inner, hn::Mul(p.cos_cos, p.inner_other));
  return {Times(p.outer, m00), TimesI(Stretch(m01, p.outer_other)), TimesI(Times(p.outer, m10)),
          Stretch(m11, p.outer_other)};
}

/// Where a set-up takes matrices from: phases and errors of MZIs.
template <class D, class T = hn::TFromD<D>, class V = hn::Vec<D>>
struct FromDevices {
  const MeshParameters<T>& parameters;
  std::size_t mzis;
  double lossiest_db;
  CommonRatios<V> common;
  T idle_factor;
  bool usable;  ///< what the factors found later would not tell

  HWY_INLINE FromDevices(D d, const MeshLayout& layout, const MeshParameters<T>& p)
      : parameters(p), mzis(layout.mzis), lossiest_db(0.0), common(FindCommonRatios(d, p, mzis, lossiest_db)) {
    idle_factor = hn::GetLane(hn::Mul(common.idle, common.idle));
    usable = common.usable;
  }
  /// Matrices of blocks k, k + 1, ..
  template <bool whole>
  HWY_INLINE Matrix2Of<V> Load(D d, std::size_t k) const {
    return TransferMatrix(LoadMzis<whole>(d, parameters, common, k, mzis - k));
  }
  /// Field factors of the output screen at ports p, p + 1, .., of which `left` are left.
  HWY_INLINE ComplexOf<V> Screen(D d, std::size_t p, std::size_t left) const {
    const auto phase = SinCos(d, hn::Add(LoadUpTo(d, parameters.output_phase + p, left),
                                         LoadUpTo(d, parameters.output_offset + p, left)));
    return {phase.cosine, phase.sine};
  }
  /// What undoes the screen at one port, and its adjoint.
  HWY_INLINE void UndoScreen(std::size_t p, ComplexOf<T>& inverse, ComplexOf<T>& adjoint) const {
    const T phase = parameters.output_phase[p] + parameters.output_offset[p];
    inverse = adjoint = {std::cos(phase), -std::sin(phase)};
  }
};

/// The same: given matrices.
template <class D, class T = hn::TFromD<D>, class V = hn::Vec<D>>
struct FromBlocks {
  const BlockParameters<T>& blocks;
  std::size_t mzis;
  double lossiest_db;
  T idle_factor;
  bool usable;

  HWY_INLINE FromBlocks(D, const MeshLayout& layout, const BlockParameters<T>& b)
      : blocks(b),
        mzis(layout.mzis),
        lossiest_db(b.lossiest_db),
        idle_factor(b.idle_factor),
        usable(std::isfinite(b.idle_factor)) {}
  template <bool whole>
  HWY_INLINE Matrix2Of<V> Load(D d, std::size_t k) const {
    const auto plane = [&](std::size_t i) HWY_ATTR {
      const T* from = blocks.planes + i * mzis + k;
      if constexpr (whole) return hn::LoadU(d, from);
      return LoadUpTo(d, from, mzis - k);
    };
    return {{plane(0), plane(1)}, {plane(2), plane(3)}, {plane(4), plane(5)}, {plane(6), plane(7)}};
  }
  HWY_INLINE ComplexOf<V> Screen(D d, std::size_t p, std::size_t left) const {
    return {LoadUpTo(d, blocks.screen_re + p, left), LoadUpTo(d, blocks.screen_im + p, left)};
  }
  HWY_INLINE void UndoScreen(std::size_t p, ComplexOf<T>& inverse, ComplexOf<T>& adjoint) const {
    const T re = blocks.screen_re[p], im = blocks.screen_im[p], over = T(1) / (re * re + im * im);
    adjoint = {re, -im};
    inverse = {re * over, -im * over};
  }
};

/// Scaled form of matrices T on ports of scales D_1, D_2 (see ScaledMesh), and the scales behind them.
template <class V, class M>
struct ScaledStep {
  ComplexOf<V> f, g;
  M cross;
  ComplexOf<V> first_scale, second_scale;
};

template <class D, class V = hn::Vec<D>>
HWY_INLINE ScaledStep<V, hn::Mask<D>> ScaleAs(D d, hn::Mask<D> cross, const Matrix2Of<V>& scaled) {
  const auto& [a, b, c, e] = scaled;
  // bar: f = b/a = b conj(a) / |a|^2, g = c/d; cross: the reciprocals, whose numerators are the conjugates
  const V one = hn::Set(d, static_cast<hn::TFromD<D>>(1));
  const V turn = hn::IfThenElse(cross, hn::Neg(one), one);
  const ComplexOf<V> first_scale = IfThenElse(cross, b, a), second_scale = IfThenElse(cross, c, e);
  const V norm_f = Norm(first_scale), norm_g = Norm(second_scale);
  const V over = hn::Div(one, hn::Mul(norm_f, norm_g));  // one division for both
  const V over_f = hn::Mul(over, norm_g), over_g = hn::Mul(over, norm_f);
  ComplexOf<V> f = Stretch(TimesConj(b, a), over_f), g = Stretch(TimesConj(c, e), over_g);
  f.im = hn::Mul(f.im, turn);
  g.im = hn::Mul(g.im, turn);
  return {f, g, cross, first_scale, second_scale};
}

/// Matrices behind ports of these scales.
template <class V>
HWY_INLINE Matrix2Of<V> BehindScales(const Matrix2Of<V>& t, const ComplexOf<V>& first,
                                     const ComplexOf<V>& second) {
  return {Times(t.a, first), Times(t.b, second), Times(t.c, first), Times(t.d, second)};
}

/// Which matrices need a cross pivot: |a||d| < |b||c|. Scales of their ports change nothing.
template <class D, class V = hn::Vec<D>>
HWY_INLINE hn::Mask<D> NeedsCross(D, const Matrix2Of<V>& t) {
  return hn::Lt(hn::Mul(Norm(t.a), Norm(t.d)), hn::Mul(Norm(t.b), Norm(t.c)));
}

/// A complex number per port, even and odd ports apart: what a column of neighbours needs then lies in
/// consecutive memory, whether it begins at an even or an odd port.
template <class T>
class SplitPorts {
 public:
  /// All 1; `room`: lanes of a register, which may be read and written beyond the last port.
  SplitPorts(std::size_t ports, std::size_t room) : pitch_(ports / 2 + 1 + room), memory_(4 * pitch_) {
    set_ones();
  }

  T* re(std::size_t port) { return memory_.data() + port % 2 * pitch_ + port / 2; }
  T* im(std::size_t port) { return re(port) + 2 * pitch_; }
  void set_ones() {
    std::fill(memory_.begin(), memory_.begin() + static_cast<std::ptrdiff_t>(2 * pitch_), T(1));
    std::fill(memory_.begin() + static_cast<std::ptrdiff_t>(2 * pitch_), memory_.end(), T(0));
  }

 private:
  std::size_t pitch_;
  AlignedVector<T> memory_;
};

/// Upper and lower scales of MZIs k, k + 1, .., the first `left` of which are in the column.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void LoadScales(D d, SplitPorts<hn::TFromD<D>>& s, const MeshLayout& layout,
                           const LayoutColumn& column, std::size_t k, std::size_t left, ComplexOf<V>& upper,
                           ComplexOf<V>& lower) {
  using T = hn::TFromD<D>;
  if (HWY_LIKELY(column.run_start >= 0)) {
    const std::size_t port = static_cast<std::size_t>(column.run_start) + 2 * (k - column.first);
    upper = {hn::LoadU(d, s.re(port)), hn::LoadU(d, s.im(port))};
    lower = {hn::LoadU(d, s.re(port + 1)), hn::LoadU(d, s.im(port + 1))};
    return;
  }
  HWY_ALIGN T v[4][hn::MaxLanes(d)] = {};
  for (std::size_t i = 0; i < std::min(left, hn::Lanes(d)); ++i) {
    const auto first = static_cast<std::size_t>(layout.upper[k + i]),
               second = static_cast<std::size_t>(layout.lower[k + i]);
    v[0][i] = *s.re(first);
    v[1][i] = *s.im(first);
    v[2][i] = *s.re(second);
    v[3][i] = *s.im(second);
  }
  upper = {hn::Load(d, v[0]), hn::Load(d, v[1])};
  lower = {hn::Load(d, v[2]), hn::Load(d, v[3])};
}

/// The way back. In a run of neighbours a last register that is not full writes over ports beyond the run,
/// which are idle ports of the column: the caller restores them.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void StoreScales(D d, SplitPorts<hn::TFromD<D>>& s, const MeshLayout& layout,
                            const LayoutColumn& column, std::size_t k, std::size_t left,
                            const ComplexOf<V>& upper, const ComplexOf<V>& lower) {
  using T = hn::TFromD<D>;
  if (HWY_LIKELY(column.run_start >= 0)) {
    const std::size_t port = static_cast<std::size_t>(column.run_start) + 2 * (k - column.first);
    hn::StoreU(upper.re, d, s.re(port));
    hn::StoreU(upper.im, d, s.im(port));
    hn::StoreU(lower.re, d, s.re(port + 1));
    hn::StoreU(lower.im, d, s.im(port + 1));
    return;
  }
  HWY_ALIGN T v[4][hn::MaxLanes(d)];
  hn::Store(upper.re, d, v[0]);
  hn::Store(upper.im, d, v[1]);
  hn::Store(lower.re, d, v[2]);
  hn::Store(lower.im, d, v[3]);
  for (std::size_t i = 0; i < std::min(left, hn::Lanes(d)); ++i) {
    const auto first = static_cast<std::size_t>(layout.upper[k + i]),
               second = static_cast<std::size_t>(layout.lower[k + i]);
    *s.re(first) = v[0][i];
    *s.im(first) = v[1][i];
    *s.re(second) = v[2][i];
    *s.im(second) = v[3][i];
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace optinc
HWY_AFTER_NAMESPACE();

#endif
