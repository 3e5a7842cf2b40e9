#pragma once

#include "physics/gpu/number.hpp"

namespace optinc::gpu {

// Sums and products in an order of their own, so that no number depends on the kernel they stand in.

template <class Real>
__device__ inline Number<Real> operator+(Number<Real> a, Number<Real> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class Real>
__device__ inline Number<Real> operator*(Real a, Number<Real> b) {
  return {a * b.re, a * b.im};
}
template <class Real>
__device__ inline Number<Real> operator*(Number<Real> a, Number<Real> b) {
  return {fma(-a.im, b.im, a.re * b.re), fma(a.im, b.re, a.re * b.im)};
}
/// a b + c
template <class Real>
__device__ inline Number<Real> times_plus(Number<Real> a, Number<Real> b, Number<Real> c) {
  return {fma(-a.im, b.im, fma(a.re, b.re, c.re)), fma(a.im, b.re, fma(a.re, b.im, c.im))};
}
/// conj(a) b + c
template <class Real>
__device__ inline Number<Real> conj_times_plus(Number<Real> a, Number<Real> b, Number<Real> c) {
  return {fma(a.im, b.im, fma(a.re, b.re, c.re)), fma(-a.im, b.re, fma(a.re, b.im, c.im))};
}
template <class Real>
__device__ inline Number<Real> conj(Number<Real> a) {
  return {a.re, -a.im};
}
template <class Real>
__device__ inline Number<Real> times_i(Number<Real> a) {
  return {-a.im, a.re};
}

/// One output of an MZI.
template <class Real>
__device__ inline Number<Real> apply(const Row<Real>& row, Number<Real> upper, Number<Real> lower) {
  return times_plus(row.lower, lower, row.upper * upper);
}

template <class Real>
__device__ inline Number<Real> from_lane_below(Number<Real> a, int lanes) {
  return {__shfl_up_sync(~0u, a.re, 1, lanes), __shfl_up_sync(~0u, a.im, 1, lanes)};
}
template <class Real>
__device__ inline Number<Real> from_lane_above(Number<Real> a, int lanes) {
  return {__shfl_down_sync(~0u, a.re, 1, lanes), __shfl_down_sync(~0u, a.im, 1, lanes)};
}

/// Sum over a warp, the same in every thread.
template <class Real>
__device__ inline Real over_warp(Real a) {
  for (int step = 16; step > 0; step /= 2) a += __shfl_xor_sync(~0u, a, step);
  return a;
}

}  // namespace optinc::gpu
