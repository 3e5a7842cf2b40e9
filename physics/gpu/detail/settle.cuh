#pragma once

#include "physics/gpu/detail/numbers.cuh"
#include "physics/gpu/stream.cuh"
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

/// The first where it is right.
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

template <class Real>
__device__ Errors<Real> errors_of(const Parameters<Real>& p, int k) {
  if (p.alpha == nullptr) return {};
  return {p.alpha[k],        p.beta[k],       p.theta_offset[k],   p.phi_offset[k],
          p.theta_arm_db[k], p.phi_arm_db[k], p.theta_other_db[k], p.phi_other_db[k]};
}

/// Rows of slot number `i` of a chip (columns, slots), as long as no MZI is there: ports pass, and rows of
/// ports that are not there are 0.
template <class Real>
__device__ void set_idle(const Wiring& w, Real idle, std::size_t i, const Rows<Real>& rows) {
  const int slot = static_cast<int>(i % w.slots), column = static_cast<int>(i / w.slots % w.columns);
  Row<Real> up = {}, low = {};
  if (w.ports_per_lane > 0) {
    const int first =
        2 * (slot % (w.lanes + 1) * (w.ports_per_lane / 2) + slot / (w.lanes + 1)) - w.shift[column];
    if (first >= 0 && first < w.ports) up.upper.re = idle;
    if (first + 1 < w.ports) low.lower.re = idle;
  } else if (w.upper[i % (std::size_t(w.columns) * w.slots)] >= 0) {
    up.upper.re = idle;
  }
  rows.upper[i] = up;
  rows.lower[i] = low;
  if (rows.upper_inverse == nullptr) return;
  if (up.upper.re != 0) up.upper.re = 1 / idle;
  if (low.lower.re != 0) low.lower.re = 1 / idle;
  rows.upper_inverse[i] = up;
  rows.lower_inverse[i] = low;
}

template <class Real>
__global__ void fill_idle_kernel(Wiring w, Real idle, std::size_t count, Rows<Real> rows) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) set_idle(w, idle, i, rows);
}

template <class Real>
__global__ void settle_kernel(Wiring w, Parameters<Real> p, Rows<Real> rows) {
  const int k = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (k < w.mzis) {
    const Parts<Real> parts(p.theta[k], p.phi[k], errors_of(p, k));
    const Row<Real> up = parts.upper_row(), low = parts.lower_row();
    rows.upper[w.place[k]] = up;
    rows.lower[w.place[k]] = low;
    if (rows.upper_inverse != nullptr) {
      const Number<Real> minus_one = {-1, 0}, crossed = minus_one * (up.lower * low.upper);
      const Number<Real> det = times_plus(up.upper, low.lower, crossed);
      const Real over = 1 / (det.re * det.re + det.im * det.im);
      const Number<Real> inverse = over * conj(det), negative = minus_one * inverse;
      rows.upper_inverse[w.place[k]] = {inverse * low.lower, negative * up.lower};
      rows.lower_inverse[w.place[k]] = {negative * low.upper, inverse * up.upper};
    }
  }
  if (k < w.stride) {
    Real s = 0, c = 0;
    if (k < w.ports) sine_cosine(p.output_phase[k] + (p.alpha == nullptr ? Real(0) : p.output_offset[k]), s, c);
    rows.screen[k] = {c, s};
  }
}

/// values = sigma n; a source that is off draws nothing.
template <class Real>
__device__ void draw(const StreamKey& key, std::uint32_t chip, std::uint32_t first, double sigma,
                     Real (&values)[4]) {
  if (sigma == 0.0) {
    for (int i = 0; i < 4; ++i) values[i] = 0;
    return;
  }
  four_normals(key, chip, first, values);
  for (int i = 0; i < 4; ++i) values[i] = mul(values[i], static_cast<Real>(sigma));
}

template <class Real>
__device__ void draw_offsets(const Draws& d, std::uint32_t chip, std::uint32_t first, Real (&values)[4]) {
  Real more[4];
  draw(d.calibration, chip, first, d.sigma_calibration, values);
  draw(d.phase_noise, chip, first, d.sigma_phase, more);
  for (int i = 0; i < 4; ++i) values[i] = add(values[i], more[i]);
}

/// Fours of MZIs, and behind them fours of ports: what settle_quad() does one of.
__host__ __device__ inline int quads_of(const Wiring& w) { return (w.mzis + 3) / 4 + (w.stride + 3) / 4; }

/// draw_mesh_errors() and settle at once, for four MZIs or four ports of one chip.
template <class Real>
__device__ void settle_quad(const Wiring& w, const Parameters<Real>& p, const Draws& d, std::uint32_t chip,
                            int quad, const Rows<Real>& rows) {
  const int quads = (w.mzis + 3) / 4;
  const std::uint32_t mzis = w.mzis;
  if (quad >= quads) {
    const std::uint32_t port = 4 * (quad - quads), ports = w.ports, stride = w.stride;
    Real offset[4];
    draw_offsets(d, chip, 2 * mzis + port, offset);
#pragma unroll
    for (std::uint32_t j = 0; j < 4; ++j) {
      if (port + j >= stride) return;
      Real s = 0, c = 0;
      if (port + j < ports) sine_cosine(p.output_phase[port + j] + offset[j], s, c);
      rows.screen[port + j] = {c, s};
    }
    return;
  }
  const std::uint32_t k = 4 * quad;
  Real alpha[4], beta[4], theta[4], phi[4], arms[4][4];
  draw(d.splitters, chip, k, d.sigma_alpha, alpha);
  draw(d.splitters, chip, mzis + k, d.sigma_beta, beta);
  draw_offsets(d, chip, k, theta);
  draw_offsets(d, chip, mzis + k, phi);
#pragma unroll
  for (std::uint32_t arm = 0; arm < 4; ++arm) draw(d.losses, chip, arm * mzis + k, d.arm_spread_db, arms[arm]);
  const Real mean = static_cast<Real>(d.mean_arm_db), rho = static_cast<Real>(d.rho);
#pragma unroll
  for (std::uint32_t j = 0; j < 4; ++j) {
    if (k + j >= mzis) return;
    const auto loss = [&](int arm) { return fmax(add(arms[arm][j], mean), Real(0)); };
    const Errors<Real> e = {
        alpha[j], add(beta[j], mul(rho, alpha[j])), theta[j], phi[j], loss(0), loss(1), loss(2), loss(3)};
    const Parts<Real> parts(p.theta[k + j], p.phi[k + j], e);
    const int at = w.place[k + j];
    rows.upper[at] = parts.upper_row();
    rows.lower[at] = parts.lower_row();
  }
}

/// The same for chips whose rows lie in the memory of the GPU.
template <class Real>
__global__ void settle_chips_kernel(Wiring w, Parameters<Real> p, Draws d, std::uint32_t first, int chips,
                                    Rows<Real> rows) {
  const unsigned quads = quads_of(w), i = blockIdx.x * blockDim.x + threadIdx.x, chip = i / quads;
  if (chip >= static_cast<unsigned>(chips)) return;
  const std::size_t matrix = std::size_t(chip) * w.columns * w.slots;
  settle_quad(w, p, d, first + chip, static_cast<int>(i % quads),
              {rows.upper + matrix, rows.lower + matrix, rows.screen + std::size_t(chip) * w.stride});
}

/// Derivatives of one MZI: Re trace((dT/dp) G), as add_mzi_gradient().
template <class Real>
__global__ void differentiate_kernel(Wiring w, Parameters<Real> p, const Real* sums, Real* derivatives) {
  const int k = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (k >= w.mzis) return;
  using C = Number<Real>;
  const Parts<Real> parts(p.theta[k], p.phi[k], errors_of(p, k));
  const Row<Real> up = parts.upper_row(), low = parts.lower_row();
  const C* g = reinterpret_cast<const C*>(sums) + std::size_t(w.place[k]) * 4;
  const C g00 = g[0], g01 = g[1], g10 = g[2], g11 = g[3];
  const C through_phi = up.upper * g00 + low.upper * g01, through_other = up.lower * g10 + low.lower * g11;
  // K = DC1 diag(outer, outer_other) G DC2
  const Real half = Real(0.5);
  const C o00 = parts.outer * g00, o01 = parts.outer * g01, o10 = parts.outer_other * g10,
          o11 = parts.outer_other * g11;
  const C r00 = parts.cos1 * o00 + times_i(parts.sin1 * o10),
          r01 = parts.cos1 * o01 + times_i(parts.sin1 * o11),
          r10 = times_i(parts.sin1 * o00) + parts.cos1 * o10,
          r11 = times_i(parts.sin1 * o01) + parts.cos1 * o11;
  const C k00 = half * (parts.cos2 * r00 + times_i(parts.sin2 * r01)),
          k01 = half * (times_i(parts.sin2 * r00) + parts.cos2 * r01),
          k10 = half * (parts.cos2 * r10 + times_i(parts.sin2 * r11)),
          k11 = half * (times_i(parts.sin2 * r10) + parts.cos2 * r11);
  const C through_theta = parts.inner * k00;
  // (T G)_01 + (T G)_10
  const C exchanged = up.upper * g01 + up.lower * g11 + low.upper * g00 + low.lower * g10;
  const Real per_db = Real(-0.115129254649702284);
  const auto put = [&](int which, Real value) { derivatives[which * w.mzis + k] = value; };
  put(0, -through_theta.im);
  put(1, -through_phi.im);
  put(2, -(parts.inner_other * k01 + parts.inner * k10).im);
  put(3, -exchanged.im);
  put(4, per_db * through_theta.re);
  put(5, per_db * through_phi.re);
  put(6, per_db * parts.inner_other * k11.re);
  put(7, per_db * through_other.re);
}

/// Sum over all idle ports of Re G, in one block.
template <class Real>
__global__ void idle_sum_kernel(const std::int32_t* idle, int count, const Real* sums, Real* total) {
  __shared__ Real part[256];
  Real sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += 256) sum += sums[idle[i]];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) *total = part[0];
}

}  // namespace optinc::gpu
