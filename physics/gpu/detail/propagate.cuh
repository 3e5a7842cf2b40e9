#pragma once

#include "physics/gpu/detail/settle.cuh"

namespace optinc::gpu {

constexpr int warps_per_block = 8, words_per_group = 32;

/// Which fields are a thread's: the ports of its lane, of words first, first + 1, ..
struct Vectors {
  int first, lane;
  __device__ Vectors(const Wiring& w, int words_each)
      : first(static_cast<int>((blockIdx.y * blockDim.x + threadIdx.x) / w.lanes) * words_each),
        lane(static_cast<int>(threadIdx.x) % w.lanes) {}
};

/// Fields of words lie lane by lane, two ports of each at a time: what a warp loads is one piece of memory.
template <int P, int W, class Real>
__device__ void load(const Number<Real>* from, const Wiring& w, const Vectors& v, int words,
                     Number<Real> (&x)[W][P]) {
#pragma unroll
  for (int i = 0; i < W; ++i)
#pragma unroll
    for (int h = 0; h < P / 2; ++h) {
      Row<Real> two = {};
      if (v.first + i < words)
        two = reinterpret_cast<const Row<Real>*>(from +
                                                 std::size_t(v.first + i) * w.stride)[h * w.lanes + v.lane];
      x[i][2 * h] = two.upper;
      x[i][2 * h + 1] = two.lower;
    }
}

template <int P, int W, class Real>
__device__ void store(const Number<Real> (&x)[W][P], const Wiring& w, const Vectors& v, int words,
                      Number<Real>* to) {
#pragma unroll
  for (int i = 0; i < W; ++i)
#pragma unroll
    for (int h = 0; h < P / 2; ++h)
      if (v.first + i < words)
        reinterpret_cast<Row<Real>*>(to + std::size_t(v.first + i) * w.stride)[h * w.lanes + v.lane] = {
            x[i][2 * h], x[i][2 * h + 1]};
}

/// Rows that a thread's ports need in a column, from those of its lane's first slot: `shift` moves the upper
/// ones on by a slot.
template <int H, class Real>
__device__ void load_rows(const Row<Real>* upper, const Row<Real>* lower, int pitch, int shift,
                          Row<Real> (&up)[H], Row<Real> (&low)[H]) {
#pragma unroll
  for (int h = 0; h < H; ++h) {
    up[h] = upper[h + 1 < H ? (h + shift) * pitch : shift == 0 ? h * pitch : 1];
    low[h] = lower[h * pitch];
  }
}

/// Fields behind a column from those in front of it.
template <int P, int W, class Real>
__device__ void through_column(int lanes, int shift, const Row<Real> (&up)[P / 2],
                               const Row<Real> (&low)[P / 2], Number<Real> (&x)[W][P]) {
  if (shift == 0) {
#pragma unroll
    for (int i = 0; i < W; ++i)
#pragma unroll
      for (int h = 0; h < P / 2; ++h) {
        const Number<Real> a = x[i][2 * h], b = x[i][2 * h + 1];
        x[i][2 * h] = apply(up[h], a, b);
        x[i][2 * h + 1] = apply(low[h], a, b);
      }
    return;
  }
#pragma unroll
  for (int i = 0; i < W; ++i) {
    const Number<Real> above = from_lane_above(x[i][0], lanes);
    Number<Real> a = from_lane_below(x[i][P - 1], lanes);
#pragma unroll
    for (int h = 0; h < P / 2; ++h) {
      const Number<Real> b = x[i][2 * h], next = x[i][2 * h + 1];
      x[i][2 * h] = apply(low[h], a, b);
      if (h > 0) x[i][2 * h - 1] = apply(up[h - 1], a, b);
      a = next;
    }
    x[i][P - 1] = apply(up[P / 2 - 1], a, above);
  }
}

/// What y has more than y0, in terms of y0.
template <class Real>
__device__ void add_overlap(Number<Real> y, Number<Real> y0, Number<Real>& change, Real& error) {
  const Number<Real> more = {y.re - y0.re, y.im - y0.im};
  change = conj_times_plus(y0, more, change);
  error = fma(more.re, more.re, fma(more.im, more.im, error));
}

/// Sums of a block, of all its threads in a fixed order, by thread 0.
template <class Real>
__device__ void store_overlap(Number<Real> change, Real error, Overlap* to) {
  __shared__ Overlap of_warp[32];
  Overlap sum = {over_warp(double(change.re)), over_warp(double(change.im)), over_warp(double(error))};
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (unsigned i = 1; i < blockDim.x / 32; ++i) {
    sum.re += of_warp[i].re;
    sum.im += of_warp[i].im;
    sum.error += of_warp[i].error;
  }
  *to = sum;
}

/// A block's words through one mesh; `chip` says where what becomes of them goes. `near`: rows are in the
/// memory of the block.
template <class Real, int P, int W, bool near>
__device__ void pass(const Wiring& w, const Rows<Real>& rows, const Passage<Real>& passage, std::size_t chip) {
  constexpr int H = P / 2;
  const Vectors v(w, W);
  Number<Real> x[W][P];
  load<P, W>(passage.inputs, w, v, passage.words, x);
  constexpr bool ahead = !near && sizeof(Real) * P <= 8;  // rows of the next column, while there are registers
  const int pitch = w.lanes + 1;
  const Row<Real>*upper = rows.upper + v.lane, *lower = rows.lower + v.lane;
  Number<Real>* in_front = passage.in_front;
  Row<Real> up[H], low[H], next_up[H], next_low[H];
  int shift = 0, next_shift = 0;
  if (w.columns > 0) {
    shift = w.shift[0];
    load_rows<H>(upper, lower, pitch, shift, up, low);
  }
#pragma unroll(near&& P == 2 ? 2 : 1)
  for (int c = 1; c <= w.columns; ++c) {  // through column c - 1
    upper += w.slots;
    lower += w.slots;
    if (c < w.columns) {
      next_shift = w.shift[c];
      if (ahead) load_rows<H>(upper, lower, pitch, next_shift, next_up, next_low);
    }
    if (in_front != nullptr) {
      store<P, W>(x, w, v, passage.words, in_front);
      in_front += std::size_t(passage.words) * w.stride;
    }
    through_column<P, W>(w.lanes, shift, up, low, x);
    shift = next_shift;
    if (ahead) {
#pragma unroll
      for (int h = 0; h < H; ++h) {
        up[h] = next_up[h];
        low[h] = next_low[h];
      }
    } else if (c < w.columns) {
      load_rows<H>(upper, lower, pitch, shift, up, low);
    }
  }
#pragma unroll
  for (int p = 0; p < P; ++p) {
    const Number<Real> screen = rows.screen[v.lane * P + p];
#pragma unroll
    for (int i = 0; i < W; ++i) x[i][p] = screen * x[i][p];
  }
  if (passage.outputs != nullptr)
    store<P, W>(x, w, v, passage.words, passage.outputs + chip * passage.words * w.stride);
  if (passage.others == nullptr) return;
  Number<Real> change = {};
  Real error = 0;
  Number<Real> y0[W][P];
  load<P, W>(passage.others, w, v, passage.words, y0);
#pragma unroll
  for (int i = 0; i < W; ++i)
#pragma unroll
    for (int p = 0; p < P; ++p) add_overlap(x[i][p], y0[i][p], change, error);
  store_overlap(change, error, passage.overlaps + chip * gridDim.y + blockIdx.y);
}

/// Blocks that a processor of the GPU is to hold at least: registers are few enough for them.
template <class Real, int P>
constexpr int blocks_at_once = sizeof(Real) == 8 || P == 2 ? 1 : 2;

/// Settled meshes. Grid: (chips, groups of words).
template <class Real, int P, int W>
__global__ void __launch_bounds__(32 * warps_per_block, blocks_at_once<Real, P>)
    propagate_vectors(Wiring w, Rows<Real> rows, Passage<Real> passage) {
  const std::size_t chip = blockIdx.x, matrix = chip * w.columns * w.slots;
  pass<Real, P, W, false>(w, {rows.upper + matrix, rows.lower + matrix, rows.screen + chip * w.stride}, passage,
                          chip);
}

/// Chips whose rows fit in the memory of a block: drawn, settled and passed without going through that of the
/// GPU. Grid: (chips).
template <class Real, int P, int W>
__global__ void __launch_bounds__(32 * warps_per_block, 2)
    chips_in_blocks(Wiring w, Parameters<Real> p, Draws d, std::uint32_t first, Real idle,
                    Passage<Real> passage) {
  extern __shared__ double shared[];
  const int count = w.columns * w.slots, quads = quads_of(w);
  Rows<Real> rows;
  rows.upper = reinterpret_cast<Row<Real>*>(shared);
  rows.lower = rows.upper + count;
  rows.screen = reinterpret_cast<Number<Real>*>(rows.lower + count);
  for (int i = threadIdx.x; i < count; i += blockDim.x) set_idle(w, idle, i, rows);
  __syncthreads();
  for (int quad = threadIdx.x; quad < quads; quad += blockDim.x)
    settle_quad(w, of_chip(p, blockIdx.x), d, first + blockIdx.x, quad, rows);
  __syncthreads();
  pass<Real, P, W, true>(w, rows, passage, blockIdx.x);
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
  Number<Real> change = {};
  Real error = 0;
  for (int p = warp; p < w.ports; p += warps) {
    const Number<Real> y = rows.screen[chip * w.stride + p] * x[p * 32];
    if (word >= passage.words) continue;
    if (passage.outputs != nullptr) passage.outputs[chip * passage.words * w.stride + at + p] = y;
    if (passage.others != nullptr) add_overlap(y, passage.others[at + p], change, error);
  }
  if (passage.others != nullptr) store_overlap(change, error, passage.overlaps + chip * gridDim.y + blockIdx.y);
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

/// Adds `count` numbers of every vector of a block, one vector behind the other in `of_vectors`, in their
/// order.
template <class Real>
__device__ void add_vectors(const Real* of_vectors, int vectors, int count, Real* to) {
  __syncthreads();
  for (int i = threadIdx.x; i < count; i += blockDim.x) {
    Real sum = 0;
    for (int v = 0; v < vectors; ++v) sum += of_vectors[v * count + i];
    to[i] = sum;
  }
  __syncthreads();
}

/// propagate_vectors() on the way back. Fields in front of a column are loaded where they were kept, or else
/// found by inverting its MZIs. Grid: (1, parts of the words).
template <class Real, int P, int W, bool kept>
__global__ void __launch_bounds__(32 * warps_per_block)
    walk_back_vectors(Wiring w, Rows<Real> rows, Passage<Real> passage, Return<Real> back_to) {
  constexpr int H = P / 2;
  const int pitch = w.lanes + 1;
  const Vectors v(w, W);
  extern __shared__ double shared[];
  Real* const of_vectors = reinterpret_cast<Real*>(shared);
  const int vectors = static_cast<int>(blockDim.x) / w.lanes, vector = static_cast<int>(threadIdx.x) / w.lanes;
  const std::size_t part = blockIdx.y;
  Number<Real> x[W][P], lambda[W][P];
  load<P, W>(static_cast<const Number<Real>*>(passage.outputs), w, v, passage.words, x);
  load<P, W>(back_to.gradient, w, v, passage.words, lambda);
#pragma unroll
  for (int p = 0; p < P; ++p) {
    const Number<Real> screen = conj(rows.screen[v.lane * P + p]);
    Real sum = 0;
#pragma unroll
    for (int i = 0; i < W; ++i) {
      sum = fma(lambda[i][p].im, x[i][p].re, fma(-lambda[i][p].re, x[i][p].im, sum));
      lambda[i][p] = screen * lambda[i][p];
      if (!kept) x[i][p] = screen * x[i][p];
    }
    of_vectors[vector * w.stride + v.lane * P + p] = sum;
  }
  add_vectors(of_vectors, vectors, w.stride, back_to.screen_sums + part * w.stride);
  for (int c = w.columns - 1; c >= 0; --c) {
    const int shift = w.shift[c];
    const std::size_t column = std::size_t(c) * w.slots;
    if (kept) {
      load<P, W>(static_cast<const Number<Real>*>(passage.in_front) + std::size_t(c) * passage.words * w.stride,
                 w, v, passage.words, x);
    } else {
      Row<Real> up[H], low[H];
      load_rows<H>(rows.upper_inverse + column + v.lane, rows.lower_inverse + column + v.lane, pitch, shift, up,
                   low);
      through_column<P, W>(w.lanes, shift, up, low, x);
    }
    Real* const to = of_vectors + std::size_t(vector) * w.slots * 8;
    if (shift == 1 && v.lane == w.lanes - 1) {  // the last port, whose slot no lane above has
      Gram<Real> gram;
#pragma unroll
      for (int i = 0; i < W; ++i) gram.add(x[i][P - 1], {}, lambda[i][P - 1], {});
      gram.store(to + w.lanes * 8);
    }
#pragma unroll
    for (int h = 0; h < H; ++h) {
      const int slot = h * pitch + v.lane;
      const Row<Real> up = rows.upper[column + slot], low = rows.lower[column + slot];
      Row<Real> above_up, above_low;
      if (h == 0 && shift == 1) {
        above_up = rows.upper[column + v.lane + 1];
        above_low = rows.lower[column + v.lane + 1];
      }
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
        constexpr int last = P - 1;
        const int upper = h > 0 ? 2 * h - 1 : last;
        const Number<Real> xa = h > 0 ? x[i][upper] : from_lane_below(x[i][last], w.lanes);
        const Number<Real> a = h > 0 ? lambda[i][upper] : from_lane_below(lambda[i][last], w.lanes);
        const Number<Real> b = lambda[i][2 * h];
        gram.add(xa, x[i][2 * h], a, b);
        if (h > 0)
          lambda[i][upper] = back(up.upper, low.upper, a, b);
        else
          lambda[i][last] = back(above_up.upper, above_low.upper, lambda[i][last], from_lane_above(b, w.lanes));
        lambda[i][2 * h] = back(up.lower, low.lower, a, b);
      }
      gram.store(to + slot * 8);
    }
    add_vectors(of_vectors, vectors, w.slots * 8, back_to.sums + (part * w.columns * w.slots + column) * 8);
  }
  store<P, W>(lambda, w, v, passage.words, back_to.input_gradient);
  if (kept) return;
  // what inverting got wrong: fields found at the inputs against the inputs. NaN is the largest
  Number<Real> given[W][P];
  load<P, W>(passage.inputs, w, v, passage.words, given);
  float largest = 0, error = 0;
#pragma unroll
  for (int i = 0; i < W; ++i)
#pragma unroll
    for (int p = 0; p < P; ++p) {
      const float off =
          static_cast<float>(fmax(fabs(x[i][p].re - given[i][p].re), fabs(x[i][p].im - given[i][p].im)));
      const bool number = x[i][p].re == x[i][p].re && x[i][p].im == x[i][p].im;
      largest = fmaxf(largest, static_cast<float>(fmax(fabs(given[i][p].re), fabs(given[i][p].im))));
      error = number ? fmaxf(error, off) : __int_as_float(0x7f800000);
    }
  atomicMax(back_to.check, __float_as_int(largest));
  atomicMax(back_to.check + 1, __float_as_int(error));
}

/// propagate_anywhere() on the way back. Grid: (1, groups of words); a part of the sums is a group.
template <class Real>
__global__ void walk_back_anywhere(Wiring w, Rows<Real> rows, Passage<Real> passage, Return<Real> back_to,
                                   Number<Real>* scratch) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int warps = static_cast<int>(blockDim.x) / 32, word = static_cast<int>(blockIdx.y) * 32 + lane;
  const std::size_t group = std::size_t(w.ports) * 32, at = std::size_t(word) * w.stride;
  Number<Real>* const lambda = scratch + blockIdx.y * group + lane;
  for (int p = warp; p < w.ports; p += warps) {
    const bool in_use = word < passage.words;
    const Number<Real> l = in_use ? back_to.gradient[at + p] : Number<Real>{},
                       y = in_use ? passage.outputs[at + p] : l;
    const Real sum = over_warp(fma(l.im, y.re, -l.re * y.im));
    if (lane == 0) back_to.screen_sums[std::size_t(blockIdx.y) * w.stride + p] = sum;
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
      if (lane == 0) gram.store(back_to.sums + (std::size_t(blockIdx.y) * w.columns * w.slots + slot) * 8);
    }
    __syncthreads();
  }
  if (word < passage.words)
    for (int p = warp; p < w.ports; p += warps) back_to.input_gradient[at + p] = lambda[p * 32];
}

}  // namespace optinc::gpu
