#pragma once

#include "physics/gpu/numbers.cuh"
#include "physics/simd/detail/trig_series.hpp"

namespace optinc::gpu {

/// Sine and cosine of an angle of at most pi/4: the series of physics/simd/detail/sincos-inl.hpp.
template <class Real>
__device__ void small_sine_cosine(Real r, Real& s, Real& c) {
  constexpr auto sine = TrigSeries<Real>::sine;
  constexpr auto cosine = TrigSeries<Real>::cosine;
  constexpr int count = sine.size();
  const Real r2 = r * r;
  Real in_s = sine[count - 1], in_c = cosine[count - 1];
#pragma unroll
  for (int i = count - 2; i >= 0; --i) {
    in_s = fma(in_s, r2, sine[i]);
    in_c = fma(in_c, r2, cosine[i]);
  }
  s = fma(r * r2, in_s, r);
  c = fma(r2 * r2, in_c, fma(Real(-0.5), r2, Real(1)));
}

/// Those of an angle of at most largest_phase_rad.
template <class Real>
__device__ void sine_cosine(Real x, Real& s, Real& c) {
  constexpr auto half_pi = TrigSeries<Real>::half_pi;
  const Real quarter_turns = rint(x * Real(0.636619772367581343));
  Real r = fma(-quarter_turns, half_pi[0], x);
  r = fma(-quarter_turns, half_pi[1], r);
  r = fma(-quarter_turns, half_pi[2], r);
  Real sine, cosine;
  small_sine_cosine(r, sine, cosine);
  const int n = static_cast<int>(quarter_turns);
  s = n & 1 ? cosine : sine;
  c = n & 1 ? sine : cosine;
  s = n & 2 ? -s : s;
  c = (n + 1) & 2 ? -c : c;
}

/// small_sine_cosine() where it holds, else sine_cosine().
template <class Real>
__device__ void splitter_sine_cosine(Real x, Real& s, Real& c) {
  if (fabs(x) <= Real(0.785))
    small_sine_cosine(x, s, c);
  else
    sine_cosine(x, s, c);
}

/// Field ratio of a loss, 10^(-dB/20).
__device__ inline float field_ratio(float db) { return expf(-0.115129255f * db); }
__device__ inline double field_ratio(double db) { return exp(-0.115129254649702284 * db); }

template <class Real>
struct Errors {
  Real alpha, beta, theta_offset, phi_offset, theta_arm_db, phi_arm_db, theta_other_db, phi_other_db;
};

/// What the parts of an MZI contribute: T = DC(pi/4+beta) diag(inner, inner_other) DC(pi/4+alpha) diag(outer,
/// outer_other).
template <class Real>
struct Parts {
  Number<Real> inner, outer;
  Real inner_other, outer_other;
  Real cos1, sin1, cos2, sin2;  ///< sqrt(2) times those of the splitter angles

  __device__ Parts(Real theta, Real phi, const Errors<Real>& e) {
    Real s, c;
    sine_cosine(theta + e.theta_offset, s, c);
    inner = field_ratio(e.theta_arm_db) * Number<Real>{c, s};
    sine_cosine(phi + e.phi_offset, s, c);
    outer = field_ratio(e.phi_arm_db) * Number<Real>{c, s};
    inner_other = field_ratio(e.theta_other_db);
    outer_other = field_ratio(e.phi_other_db);
    // cos and sin of pi/4 + a are (cos a -+ sin a) / sqrt(2): a perfect splitter halves exactly
    splitter_sine_cosine(e.alpha, s, c);
    cos1 = c - s;
    sin1 = c + s;
    splitter_sine_cosine(e.beta, s, c);
    cos2 = c - s;
    sin2 = c + s;
  }

  __device__ Row<Real> upper_row() const {
    const Real cc = cos2 * cos1 / 2, ss = sin2 * sin1 / 2, sc = sin2 * cos1 / 2, cs = cos2 * sin1 / 2;
    return {outer * Number<Real>{fma(cc, inner.re, -ss * inner_other), cc * inner.im},
            outer_other * times_i(Number<Real>{fma(cs, inner.re, sc * inner_other), cs * inner.im})};
  }
  __device__ Row<Real> lower_row() const {
    const Real cc = cos2 * cos1 / 2, ss = sin2 * sin1 / 2, sc = sin2 * cos1 / 2, cs = cos2 * sin1 / 2;
    return {times_i(outer * Number<Real>{fma(sc, inner.re, cs * inner_other), sc * inner.im}),
            outer_other * Number<Real>{fma(-ss, inner.re, cc * inner_other), -ss * inner.im}};
  }
};

}  // namespace optinc::gpu
