#pragma once

#include "physics/gpu/detail/numbers.cuh"

namespace optinc::gpu {

constexpr int warps_per_block = 8, words_per_group = 32;

/// Where the fields of a thread lie: ports at .. at + P - 1 of words first .. first + W - 1.
struct Vectors {
  int at, first, position;
  __device__ Vectors(const Wiring& w, int words_each)
      : at(static_cast<int>(threadIdx.x) % w.lanes * w.ports_per_lane),
        first(static_cast<int>((blockIdx.y * blockDim.x + threadIdx.x) / w.lanes) * words_each),
        position(static_cast<int>(threadIdx.x) % w.lanes) {}
};

template <int P, int W, class Real>
__device__ void load(const Number<Real>* from, const Vectors& v, int words, int stride,
                     Number<Real> (&x)[W][P]) {
#pragma unroll
  for (int i = 0; i < W; ++i)
#pragma unroll
    for (int p = 0; p < P; p += 2) {
      Row<Real> two = {};
      if (v.first + i < words)
        two = *reinterpret_cast<const Row<Real>*>(from + std::size_t(v.first + i) * stride + v.at + p);
      x[i][p] = two.upper;
      x[i][p + 1] = two.lower;
    }
}

template <int P, int W, class Real>
__device__ void store(const Number<Real> (&x)[W][P], const Vectors& v, int words, int stride,
                      Number<Real>* to) {
#pragma unroll
  for (int i = 0; i < W; ++i)
#pragma unroll
    for (int p = 0; p < P; p += 2)
      if (v.first + i < words)
        *reinterpret_cast<Row<Real>*>(to + std::size_t(v.first + i) * stride + v.at + p) = {x[i][p],
                                                                                            x[i][p + 1]};
}

/// Rows that a thread's ports need in a column: `shift` moves the upper ones on by a slot.
template <int H, class Real>
__device__ void load_rows(const Rows<Real>& rows, std::size_t column, int slot, int shift, Row<Real> (&up)[H],
                          Row<Real> (&low)[H]) {
#pragma unroll
  for (int i = 0; i < H; ++i) {
    up[i] = rows.upper[column + slot + i + shift];
    low[i] = rows.lower[column + slot + i];
  }
}

/// Sums of a block, of all its threads in a fixed order, by thread 0.
__device__ inline void store_overlap(double re, double im, double power, Overlap* to) {
  __shared__ Overlap of_warp[32];
  re = over_warp(re);
  im = over_warp(im);
  power = over_warp(power);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = {re, im, power};
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (unsigned i = 1; i < blockDim.x / 32; ++i) {
    re += of_warp[i].re;
    im += of_warp[i].im;
    power += of_warp[i].power;
  }
  *to = {re, im, power};
}

template <class Real>
__device__ void add_overlap(Number<Real> y, Number<Real> y0, double& re, double& im, double& power) {
  re += double(y0.re) * y.re + double(y0.im) * y.im;
  im += double(y0.re) * y.im - double(y0.im) * y.re;
  power += double(y.re) * y.re + double(y.im) * y.im;
}

/// A vector in the registers of neighbouring threads. Grid: (chips, groups of words).
template <class Real, int P, int W>
__global__ void __launch_bounds__(32 * warps_per_block)
    propagate_vectors(Wiring w, Rows<Real> rows, Passage<Real> passage) {
  constexpr int H = P / 2;
  const Vectors v(w, W);
  const std::size_t chip = blockIdx.x, matrix = chip * w.columns * w.slots;
  const int slot = v.position * H;
  Number<Real> x[W][P];
  load<P, W>(passage.inputs, v, passage.words, w.stride, x);
  constexpr bool ahead = sizeof(Real) * P <= 16;  // rows of the next column, while there are registers
  Row<Real> up[H], low[H], next_up[H], next_low[H];
  if (w.columns > 0) load_rows<H>(rows, matrix, slot, w.shift[0], up, low);
  for (int c = 0; c < w.columns; ++c) {
    const int shift = w.shift[c];
    if (ahead && c + 1 < w.columns)
      load_rows<H>(rows, matrix + std::size_t(c + 1) * w.slots, slot, w.shift[c + 1], next_up, next_low);
    if (passage.in_front != nullptr)
      store<P, W>(x, v, passage.words, w.stride, passage.in_front + std::size_t(c) * passage.words * w.stride);
    if (shift == 0) {
#pragma unroll
      for (int i = 0; i < W; ++i)
#pragma unroll
        for (int h = 0; h < H; ++h) {
          const Number<Real> a = x[i][2 * h], b = x[i][2 * h + 1];
          x[i][2 * h] = apply(up[h], a, b);
          x[i][2 * h + 1] = apply(low[h], a, b);
        }
    } else {
#pragma unroll
      for (int i = 0; i < W; ++i) {
        const Number<Real> below = from_lane_below(x[i][P - 1], w.lanes),
                           above = from_lane_above(x[i][0], w.lanes);
        Number<Real> a = below;
#pragma unroll
        for (int h = 0; h < H; ++h) {
          const Number<Real> b = x[i][2 * h], next = x[i][2 * h + 1];
          x[i][2 * h] = apply(low[h], a, b);
          if (h > 0) x[i][2 * h - 1] = apply(up[h - 1], a, b);
          a = next;
        }
        x[i][P - 1] = apply(up[H - 1], a, above);
      }
    }
    if (ahead) {
#pragma unroll
      for (int h = 0; h < H; ++h) {
        up[h] = next_up[h];
        low[h] = next_low[h];
      }
    } else if (c + 1 < w.columns) {
      load_rows<H>(rows, matrix + std::size_t(c + 1) * w.slots, slot, w.shift[c + 1], up, low);
    }
  }
#pragma unroll
  for (int p = 0; p < P; ++p) {
    const Number<Real> screen = rows.screen[chip * w.stride + v.at + p];
#pragma unroll
    for (int i = 0; i < W; ++i) x[i][p] = screen * x[i][p];
  }
  if (passage.outputs != nullptr)
    store<P, W>(x, v, passage.words, w.stride, passage.outputs + chip * passage.words * w.stride);
  if (passage.others == nullptr) return;
  double re = 0, im = 0, power = 0;
  Number<Real> y0[W][P];
  load<P, W>(passage.others, v, passage.words, w.stride, y0);
#pragma unroll
  for (int i = 0; i < W; ++i)
#pragma unroll
    for (int p = 0; p < P; ++p) add_overlap(x[i][p], y0[i][p], re, im, power);
  store_overlap(re, im, power, passage.overlaps + chip * gridDim.y + blockIdx.y);
}

/// Any wiring: fields of a group of words in memory, ports one behind the other; a warp takes a slot at a time.
template <class Real>
__global__ void propagate_anywhere(Wiring w, Rows<Real> rows, Passage<Real> passage, Number<Real>* scratch) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int warps = static_cast<int>(blockDim.x) / 32, word = static_cast<int>(blockIdx.y) * 32 + lane;
  const std::size_t chip = blockIdx.x, group = std::size_t(w.ports) * 32;
  Number<Real>* const x = scratch + (chip * gridDim.y + blockIdx.y) * group + lane;
  const std::size_t at = std::size_t(word) * w.stride;
  for (int p = warp; p < w.ports; p += warps)
    x[p * 32] = word < passage.words ? passage.inputs[at + p] : Number<Real>{};
  __syncthreads();
  for (int c = 0; c < w.columns; ++c) {
    if (passage.in_front != nullptr) {
      Number<Real>* const kept = passage.in_front + (std::size_t(c) * gridDim.y + blockIdx.y) * group + lane;
      for (int p = warp; p < w.ports; p += warps) kept[p * 32] = x[p * 32];
      __syncthreads();
    }
    for (int s = warp; s < w.slots; s += warps) {
      const std::size_t slot = std::size_t(c) * w.slots + s;
      const int upper = w.upper[slot], lower = w.lower[slot];
      if (upper < 0) continue;
      const std::size_t row = chip * w.columns * w.slots + slot;
      const Number<Real> a = x[upper * 32], b = lower < 0 ? Number<Real>{} : x[lower * 32];
      x[upper * 32] = apply(rows.upper[row], a, b);
      if (lower >= 0) x[lower * 32] = apply(rows.lower[row], a, b);
    }
    __syncthreads();
  }
  double re = 0, im = 0, power = 0;
  for (int p = warp; p < w.ports; p += warps) {
    const Number<Real> y = rows.screen[chip * w.stride + p] * x[p * 32];
    if (word >= passage.words) continue;
    if (passage.outputs != nullptr) passage.outputs[chip * passage.words * w.stride + at + p] = y;
    if (passage.others != nullptr) add_overlap(y, passage.others[at + p], re, im, power);
  }
  if (passage.others != nullptr) store_overlap(re, im, power, passage.overlaps + chip * gridDim.y + blockIdx.y);
}

/// Sums x conj(lambda) of an MZI over words, (2, 2).
template <class Real>
struct Gram {
  Number<Real> g[4] = {};

  __device__ void add(Number<Real> upper, Number<Real> lower, Number<Real> to_upper, Number<Real> to_lower) {
    g[0] = conj_times_plus(to_upper, upper, g[0]);
    g[1] = conj_times_plus(to_lower, upper, g[1]);
    g[2] = conj_times_plus(to_upper, lower, g[2]);
    g[3] = conj_times_plus(to_lower, lower, g[3]);
  }
  __device__ void store(Real* to) const {
    Row<Real>* const rows = reinterpret_cast<Row<Real>*>(to);
    rows[0] = {g[0], g[1]};
    rows[1] = {g[2], g[3]};
  }
};

/// lambda in front of an MZI, at one of its inputs, from that behind it: a row of T^H.
template <class Real>
__device__ Number<Real> back(Number<Real> to_upper, Number<Real> to_lower, Number<Real> upper,
                             Number<Real> lower) {
  return conj_times_plus(to_lower, lower, conj(to_upper) * upper);
}

/// propagate_vectors() on the way back. Grid: (1, groups of words); a part of the sums is W words.
template <class Real, int P, int W>
__global__ void __launch_bounds__(32 * warps_per_block)
    walk_back_vectors(Wiring w, Rows<Real> rows, Passage<Real> passage, Number<Real>* gradient, Real* sums,
                      Real* screen_sums) {
  constexpr int H = P / 2;
  const Vectors v(w, W);
  if (v.first - v.first % (32 / w.lanes * W) >= passage.words) return;  // the whole warp
  const std::size_t part = v.first / W;
  const bool in_use = v.first < passage.words;
  const int slot = v.position * H;
  Number<Real> x[W][P], lambda[W][P];
  load<P, W>(passage.outputs, v, passage.words, w.stride, x);
  load<P, W>(gradient, v, passage.words, w.stride, lambda);
#pragma unroll
  for (int p = 0; p < P; ++p) {
    const Number<Real> screen = conj(rows.screen[v.at + p]);
    Real sum = 0;
#pragma unroll
    for (int i = 0; i < W; ++i) {
      sum = fma(lambda[i][p].im, x[i][p].re, fma(-lambda[i][p].re, x[i][p].im, sum));
      lambda[i][p] = screen * lambda[i][p];
    }
    if (in_use) screen_sums[part * w.stride + v.at + p] = sum;
  }
  for (int c = w.columns - 1; c >= 0; --c) {
    const int shift = w.shift[c];
    const std::size_t column = std::size_t(c) * w.slots + slot;
    load<P, W>(static_cast<const Number<Real>*>(passage.in_front) + std::size_t(c) * passage.words * w.stride,
               v, passage.words, w.stride, x);
    Real* const to = sums + (part * w.columns * w.slots + column) * 8;
    if (shift == 1 && v.position == w.lanes - 1 &&
        in_use) {  // the last port, where no lane above does its slot
      Gram<Real> gram;
#pragma unroll
      for (int i = 0; i < W; ++i) gram.add(x[i][P - 1], {}, lambda[i][P - 1], {});
      gram.store(to + H * 8);
    }
#pragma unroll
    for (int h = 0; h < H; ++h) {
      const Row<Real> up = rows.upper[column + h], low = rows.lower[column + h];
      Gram<Real> gram;
#pragma unroll
      for (int i = 0; i < W; ++i) {
        if (shift == 0) {
          const Number<Real> a = lambda[i][2 * h], b = lambda[i][2 * h + 1];
          gram.add(x[i][2 * h], x[i][2 * h + 1], a, b);
          lambda[i][2 * h] = back(up.upper, low.upper, a, b);
          lambda[i][2 * h + 1] = back(up.lower, low.lower, a, b);
          continue;
        }
        // the upper port of the first slot is the lane's below, which does its own part of it
        const Number<Real> xa = h > 0 ? x[i][(2 * h + P - 1) % P] : from_lane_below(x[i][P - 1], w.lanes);
        const Number<Real> a =
            h > 0 ? lambda[i][(2 * h + P - 1) % P] : from_lane_below(lambda[i][P - 1], w.lanes);
        const Number<Real> b = lambda[i][2 * h];
        gram.add(xa, x[i][2 * h], a, b);
        if (h > 0) lambda[i][(2 * h + P - 1) % P] = back(up.upper, low.upper, a, b);
        if (h == 0) {
          const Row<Real> above_up = rows.upper[column + H], above_low = rows.lower[column + H];
          lambda[i][P - 1] =
              back(above_up.upper, above_low.upper, lambda[i][P - 1], from_lane_above(b, w.lanes));
        }
        lambda[i][2 * h] = back(up.lower, low.lower, a, b);
      }
      if (in_use) gram.store(to + h * 8);
    }
  }
  store<P, W>(lambda, v, passage.words, w.stride, gradient);
}

/// propagate_anywhere() on the way back. Grid: (1, groups of words); a part of the sums is a group.
template <class Real>
__global__ void walk_back_anywhere(Wiring w, Rows<Real> rows, Passage<Real> passage, Number<Real>* gradient,
                                   Real* sums, Real* screen_sums, Number<Real>* scratch) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int warps = static_cast<int>(blockDim.x) / 32, word = static_cast<int>(blockIdx.y) * 32 + lane;
  const std::size_t group = std::size_t(w.ports) * 32, at = std::size_t(word) * w.stride;
  Number<Real>* const lambda = scratch + blockIdx.y * group + lane;
  for (int p = warp; p < w.ports; p += warps) {
    const bool in_use = word < passage.words;
    const Number<Real> l = in_use ? gradient[at + p] : Number<Real>{}, y = in_use ? passage.outputs[at + p] : l;
    const Real sum = over_warp(fma(l.im, y.re, -l.re * y.im));
    if (lane == 0) screen_sums[std::size_t(blockIdx.y) * w.stride + p] = sum;
    lambda[p * 32] = conj(rows.screen[p]) * l;
  }
  __syncthreads();
  for (int c = w.columns - 1; c >= 0; --c) {
    const Number<Real>* const x = passage.in_front + (std::size_t(c) * gridDim.y + blockIdx.y) * group + lane;
    for (int s = warp; s < w.slots; s += warps) {
      const std::size_t slot = std::size_t(c) * w.slots + s;
      const int upper = w.upper[slot], lower = w.lower[slot];
      if (upper < 0) continue;
      const Number<Real> zero = {}, a = lambda[upper * 32], b = lower < 0 ? zero : lambda[lower * 32];
      Gram<Real> gram;
      gram.add(x[upper * 32], lower < 0 ? zero : x[lower * 32], a, b);
      const Row<Real> up = rows.upper[slot], low = rows.lower[slot];
      lambda[upper * 32] = back(up.upper, low.upper, a, b);
      if (lower >= 0) lambda[lower * 32] = back(up.lower, low.lower, a, b);
      for (Number<Real>& g : gram.g) g = {over_warp(g.re), over_warp(g.im)};
      if (lane == 0) gram.store(sums + (std::size_t(blockIdx.y) * w.columns * w.slots + slot) * 8);
    }
    __syncthreads();
  }
  if (word < passage.words)
    for (int p = warp; p < w.ports; p += warps) gradient[at + p] = lambda[p * 32];
}

}  // namespace optinc::gpu
