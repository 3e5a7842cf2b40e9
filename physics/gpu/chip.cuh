#pragma once

#include "physics/gpu/chip_draws.hpp"
#include "physics/gpu/mzi.cuh"
#include "physics/gpu/stream.cuh"

// What a chip draws, and how its MZIs are programmed.

namespace optinc::gpu {

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

/// Number `number` of sigma n; 0 where the source is off.
template <class Real>
__device__ Real drawn(const StreamKey& key, std::uint32_t chip, std::uint32_t number, double sigma) {
  if (sigma == 0.0) return 0;
  Real four[4];
  block_of_normals(key, chip, number / 4, four);
  const std::uint32_t at = number % 4;
  return mul(at == 0 ? four[0] : at == 1 ? four[1] : at == 2 ? four[2] : four[3], static_cast<Real>(sigma));
}

/// Splitters of MZI `k` as draw_mesh_errors() draws them, all else 0.
template <class Real>
__device__ Errors<Real> drawn_splitters(const Draws& d, std::uint32_t chip, std::uint32_t mzis,
                                        std::uint32_t k) {
  Errors<Real> e = {};
  e.alpha = drawn<Real>(d.splitters, chip, k, d.sigma_alpha);
  e.beta = add(drawn<Real>(d.splitters, chip, mzis + k, d.sigma_beta), mul(static_cast<Real>(d.rho), e.alpha));
  return e;
}

/// wrap_phase()
template <class Real>
__device__ Real wrap_phase(Real phase) {
  constexpr Real turn = Real(6.283185307179586477);
  const Real wrapped = phase - turn * floor(phase / turn);
  return wrapped < turn ? wrapped : Real(0);
}

/// What the DAC makes of a phase: quantise_phase(), or quantise_voltage().
template <class Real>
__device__ Real on_dac(Real phase, const Correction& c) {
  const double wrapped = wrap_phase(static_cast<double>(phase)), turn = 6.283185307179586477,
               steps = ldexp(1.0, c.dac_bits);
  if (c.dac_bits == 0) return static_cast<Real>(wrapped);
  if (c.voltage) {
    const double level = rint(steps * sqrt(wrapped / turn)) / steps;
    return static_cast<Real>(turn * level * level);
  }
  return static_cast<Real>(wrap_phase(turn / steps * rint(wrapped / (turn / steps))));
}

template <class Real>
__device__ Real modulus(Number<Real> a) {
  return hypot(a.re, a.im);
}
/// a / |a|; 1 where a is 0.
template <class Real>
__device__ Number<Real> unit_phase(Number<Real> a) {
  const Real size = modulus(a);
  return size > 0 ? Real(1 / size) * a : Number<Real>{1, 0};
}

/// mzi_theta_for_bar_power()
template <class Real>
__device__ Real theta_for_bar_power(Real bar_power, Real alpha, Real beta, bool& clipped) {
  const Real least = sin(alpha + beta) * sin(alpha + beta);
  const Real share = (bar_power - least) / (cos(2 * alpha) * cos(2 * beta));
  const Real rounding = sizeof(Real) == 8 ? Real(1e-15) : Real(5.4e-7);  // as correction_kernel.cpp
  clipped = !(share >= -rounding && share <= 1 + rounding);
  return 2 * asin(sqrt(fmin(fmax(share, Real(0)), Real(1))));
}

}  // namespace optinc::gpu
