#pragma once

#include "physics/gpu/detail/settle.cuh"

// Chips programmed for their own splitters.

namespace optinc::gpu {

/// reference_correct_splitters(): a block a chip, whose threads share out the MZIs of a column. Shared memory:
/// what is carried on, (ports).
template <class Real>
__global__ void correct_kernel(Wiring w, Parameters<Real> p, Draws d, Correction correction,
                               std::uint32_t first, Real* phases) {
  extern __shared__ double shared[];
  using C = Number<Real>;
  C* const carried = reinterpret_cast<C*>(shared);
  Real* const theta = phases + std::size_t{blockIdx.x} * (2 * w.mzis + w.ports);
  Real *const phi = theta + w.mzis, *const output_phase = phi + w.mzis;
  for (int port = threadIdx.x; port < w.ports; port += blockDim.x) carried[port] = {1, 0};
  __syncthreads();
  for (int c = 0; c < w.columns; ++c) {
    for (int k = w.column_begin[c] + threadIdx.x; k < w.column_begin[c + 1]; k += blockDim.x) {
      C &at_upper = carried[w.pairs[2 * k]], &at_lower = carried[w.pairs[2 * k + 1]];
      const Parts<Real> perfect(p.theta[k], p.phi[k], {});
      const Row<Real> up = perfect.upper_row(), low = perfect.lower_row();
      const C bar = at_upper * up.upper, cross = at_lower * up.lower, lower_cross = at_upper * low.upper,
              lower_bar = at_lower * low.lower;
      const Errors<Real> splitters = drawn_splitters<Real>(d, first + blockIdx.x, w.mzis, k);
      bool clipped = false;
      const Real set =
          theta_for_bar_power(bar.re * bar.re + bar.im * bar.im, splitters.alpha, splitters.beta, clipped);
      const Parts<Real> device(set, Real(0), splitters);
      Row<Real> real_up = device.upper_row(), real_low = device.lower_row();
      C turn = unit_phase(bar * conj(cross) * (conj(real_up.upper) * real_up.lower));
      Real bar_counts = 1, cross_counts = 1;
      if (clipped && correction.quadrature) {
        const bool surplus = modulus(real_up.upper) > modulus(bar);
        const Real wanted = surplus ? modulus(bar) : modulus(cross),
                   reached = surplus ? modulus(real_up.upper) : modulus(real_up.lower);
        const Real psi = acos(fmin(Real(1), wanted / reached));
        turn = turn * C{cos(psi), surplus ? sin(psi) : -sin(psi)};
        (surplus ? bar_counts : cross_counts) = 0;
      }
      real_up.upper = turn * real_up.upper;
      real_low.upper = turn * real_low.upper;
      at_upper =
          unit_phase(bar_counts * (bar * conj(real_up.upper)) + cross_counts * (cross * conj(real_up.lower)));
      at_lower = unit_phase(cross_counts * (lower_cross * conj(real_low.upper)) +
                            bar_counts * (lower_bar * conj(real_low.lower)));
      theta[k] = on_dac(set, correction);
      phi[k] = on_dac(Real(atan2(turn.im, turn.re)), correction);
    }
    __syncthreads();
  }
  for (int port = threadIdx.x; port < w.ports; port += blockDim.x)
    output_phase[port] =
        on_dac(p.output_phase[port] + Real(atan2(carried[port].im, carried[port].re)), correction);
}

}  // namespace optinc::gpu
