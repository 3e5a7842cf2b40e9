#pragma once

#include "physics/gpu/chip.cuh"
#include "physics/gpu/detail/mesh_kernels.hpp"

namespace optinc::gpu {

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

/// The phases of a chip.
template <class Real>
__device__ Parameters<Real> of_chip(Parameters<Real> p, std::size_t chip) {
  p.theta += chip * p.per_chip;
  p.phi += chip * p.per_chip;
  p.output_phase += chip * p.per_chip;
  return p;
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
  settle_quad(w, of_chip(p, chip), d, first + chip, static_cast<int>(i % quads),
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
