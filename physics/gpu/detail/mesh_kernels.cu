#include <algorithm>

#include "physics/gpu/check_cuda.hpp"
#include "physics/gpu/detail/correct.cuh"
#include "physics/gpu/detail/mesh_kernels.hpp"
#include "physics/gpu/detail/propagate.cuh"
#include "physics/gpu/detail/settle.cuh"

namespace optinc::gpu {
namespace {

/// Words that a thread takes at once, as many as was fastest on an H200 (bench_gpu): rows are loaded once for
/// all of them, and their fields fill the registers.
template <class Real, int P>
constexpr int wide = sizeof(Real) == 8 ? std::max(1, 8 / P)
                     : P <= 4          ? 8
                     : P == 8          ? 4
                                       : 1;
/// On the way back there are two fields for each.
template <class Real, int P>
constexpr int wide_back = std::max(1, 64 / static_cast<int>(sizeof(Real)) / P);

/// Calls use(ports per lane), known when compiling.
template <class Real, class Use>
auto with_ports_per_lane(const Wiring& w, Use use) {
  switch (w.ports_per_lane) {
    case 2:
      return use(std::integral_constant<int, 2>());
    case 4:
      return use(std::integral_constant<int, 4>());
    case 8:
      return use(std::integral_constant<int, 8>());
    default:
      return use(std::integral_constant<int, most_per_lane<Real>>());
  }
}

int over(std::size_t a, std::size_t b) { return static_cast<int>((a + b - 1) / b); }

struct Launch {
  dim3 grid;
  unsigned threads;
};

/// Threads and blocks for words taken `each` at a time.
Launch launch_of(const Wiring& w, int words, int each, int chips) {
  const int threads = over(words, each) * w.lanes;
  const int block = std::min(32 * warps_per_block, over(threads, 32) * 32);
  return {dim3(chips, over(threads, block)), static_cast<unsigned>(block)};
}

/// Of a mesh that keeps its fields in memory.
Launch launch_anywhere(const Wiring& w, int words, int chips) {
  return {dim3(chips, over(words, words_per_group)), static_cast<unsigned>(32 * std::clamp(w.slots, 1, 32))};
}

constexpr int threads = 256;

}  // namespace

template <class Real>
int groups(const Wiring& w, int words) {
  if (w.ports_per_lane == 0) return over(words, words_per_group);
  return with_ports_per_lane<Real>(
      w, [&](auto P) { return static_cast<int>(launch_of(w, words, wide<Real, P>, 1).grid.y); });
}

template <class Real>
int parts(const Wiring& w, int words) {
  if (w.ports_per_lane == 0) return over(words, words_per_group);
  return with_ports_per_lane<Real>(
      w, [&](auto P) { return static_cast<int>(launch_of(w, words, wide_back<Real, P>, 1).grid.y); });
}

template <class Real>
void fill_idle(const Wiring& w, Real idle_factor, int chips, const Rows<Real>& rows) {
  const std::size_t count = std::size_t(w.columns) * w.slots * chips;
  if (count > 0) fill_idle_kernel<<<over(count, threads), threads>>>(w, idle_factor, count, rows);
  check_launch();
}

template <class Real>
void settle(const Wiring& w, const Parameters<Real>& p, const Rows<Real>& rows) {
  settle_kernel<<<over(std::max(w.mzis, w.stride), threads), threads>>>(w, p, rows);
  check_launch();
}

template <class Real>
void correct_chips(const Wiring& w, const Parameters<Real>& p, const Draws& draws, const Correction& correction,
                   std::uint32_t first, int chips, Real* phases) {
  const int block = std::clamp(over(w.ports, 64) * 32, 32, 256);
  correct_kernel<<<chips, block, sizeof(Number<Real>) * w.ports>>>(w, p, draws, correction, first, phases);
  check_launch();
}

namespace {

template <class Real>
void propagate_settled(const Wiring& w, const Rows<Real>& rows, int chips, const Passage<Real>& passage,
                       Number<Real>* scratch) {
  if (w.ports_per_lane == 0) {
    const Launch l = launch_anywhere(w, passage.words, chips);
    propagate_anywhere<<<l.grid, l.threads>>>(w, rows, passage, scratch);
    check_launch();
    return;
  }
  with_ports_per_lane<Real>(w, [&](auto P) {
    const Launch l = launch_of(w, passage.words, wide<Real, P>, chips);
    // too few words to fill a GPU that way: one a thread. Overlaps keep their groups
    if (l.grid.x * l.grid.y * l.threads < 1u << 16 && passage.others == nullptr) {
      const Launch narrow = launch_of(w, passage.words, 1, chips);
      propagate_vectors<Real, P, 1><<<narrow.grid, narrow.threads>>>(w, rows, passage);
    } else {
      propagate_vectors<Real, P, wide<Real, P>><<<l.grid, l.threads>>>(w, rows, passage);
    }
    check_launch();
  });
}

/// Bytes that the rows of one mesh take.
template <class Real>
std::size_t row_bytes(const Wiring& w) {
  return 2 * sizeof(Row<Real>) * w.columns * w.slots + sizeof(Number<Real>) * w.stride;
}

}  // namespace

template <class Real>
void propagate(const Wiring& w, const Rows<Real>& rows, const Passage<Real>& passage, Number<Real>* scratch) {
  propagate_settled(w, rows, 1, passage, scratch);
}

template <class Real>
bool needs_rows(const Wiring& w, int words) {
  if (sizeof(Real) == 8 || w.ports_per_lane == 0 || w.ports_per_lane > 4 || groups<Real>(w, words) > 1)
    return true;
  int device = 0, most = 0;
  check(cudaGetDevice(&device), "its number");
  check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "its properties");
  return row_bytes<Real>(w) + sizeof(Overlap) * 32 > static_cast<std::size_t>(most);
}

template <class Real>
void propagate_chips(const Wiring& w, const Parameters<Real>& program, const Draws& draws, Real idle_factor,
                     std::uint32_t first, int chips, const Rows<Real>& rows, const Passage<Real>& passage,
                     Number<Real>* scratch) {
  if (rows.screen == nullptr) {
    with_ports_per_lane<Real>(w, [&](auto P) {
      if constexpr (sizeof(Real) == 4 && P <= 4) {  // what fits there
        const auto kernel = chips_in_blocks<Real, P, wide<Real, P>>;
        const auto bytes = static_cast<int>(row_bytes<Real>(w));
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
              "shared memory");
        const Launch l = launch_of(w, passage.words, wide<Real, P>, chips);
        kernel<<<l.grid, l.threads, bytes>>>(w, program, draws, first, idle_factor, passage);
        check_launch();
      }
    });
    return;
  }
  const std::size_t quads = std::size_t(quads_of(w)) * chips;
  settle_chips_kernel<<<over(quads, threads), threads>>>(w, program, draws, first, chips, rows);
  check_launch();
  propagate_settled(w, rows, chips, passage, scratch);
}

template <class Real>
void walk_back(const Wiring& w, const Rows<Real>& rows, const Passage<Real>& passage,
               const Return<Real>& back_to, Number<Real>* scratch) {
  if (w.ports_per_lane == 0) {
    const Launch l = launch_anywhere(w, passage.words, 1);
    walk_back_anywhere<<<l.grid, l.threads>>>(w, rows, passage, back_to, scratch);
    check_launch();
    return;
  }
  with_ports_per_lane<Real>(w, [&](auto P) {
    const Launch l = launch_of(w, passage.words, wide_back<Real, P>, 1);
    const auto kernel = passage.in_front != nullptr ? walk_back_vectors<Real, P, wide_back<Real, P>, true>
                                                    : walk_back_vectors<Real, P, wide_back<Real, P>, false>;
    const std::size_t vectors = l.threads / w.lanes, each = std::max(w.slots * 8, w.stride) * sizeof(Real);
    const auto bytes = static_cast<int>(vectors * each);
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), "shared memory");
    kernel<<<l.grid, l.threads, bytes>>>(w, rows, passage, back_to);
    check_launch();
  });
}

namespace {

constexpr int parts_at_once = 32;

/// Of every 32 parts that are `step` apart the sum takes the place of the first; where those are all parts it
/// is added to `total`.
template <class Real>
__global__ void add_parts_kernel(Real* sums, int parts, std::size_t step, std::size_t count, Real* total) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x,
                    first = blockIdx.y * step * parts_at_once;
  if (i >= count) return;
  Real sum = 0;
#pragma unroll 8
  for (int j = 0; j < parts_at_once; ++j)
    if (first + j * step < static_cast<std::size_t>(parts)) sum += sums[(first + j * step) * count + i];
  if (gridDim.y == 1)
    total[i] += sum;
  else
    sums[first * count + i] = sum;
}

/// Where the field of a port lies in its word.
__device__ std::size_t place_of_port(const Wiring& w, std::size_t port) {
  if (w.ports_per_lane == 0) return port;
  const std::size_t lane = port / w.ports_per_lane, in_lane = port % w.ports_per_lane;
  return (in_lane / 2 * w.lanes + lane) * 2 + in_lane % 2;
}

template <class Real>
__global__ void pack_kernel(Wiring w, const Real* re, const Real* im, int words, Number<Real>* fields) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= std::size_t(words) * w.stride) return;
  const std::size_t port = i / words, word = i % words, from = port * words + word;
  fields[word * w.stride + place_of_port(w, port)] =
      port < std::size_t(w.ports) ? Number<Real>{re[from], im[from]} : Number<Real>{};
}

template <class Real>
__global__ void unpack_kernel(Wiring w, const Number<Real>* fields, int words, Real* re, Real* im) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= std::size_t(words) * w.ports) return;
  const Number<Real> a = fields[i % words * w.stride + place_of_port(w, i / words)];
  re[i] = a.re;
  im[i] = a.im;
}

template <class Real>
__global__ void unpack_vectors_kernel(Wiring w, const Number<Real>* fields, std::size_t words,
                                      Number<Real>* ports) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < words * w.ports) ports[i] = fields[i / w.ports * w.stride + place_of_port(w, i % w.ports)];
}

}  // namespace

template <class Real>
void add_parts(Real* sums, int parts, std::size_t count, Real* total) {
  for (std::size_t step = 1; count > 0; step *= parts_at_once) {
    const dim3 grid(over(count, threads), over(over(parts, step), parts_at_once));
    add_parts_kernel<<<grid, threads>>>(sums, parts, step, count, total);
    check_launch();
    if (grid.y == 1) return;
  }
}

template <class Real>
void differentiate(const Wiring& w, const Parameters<Real>& parameters, const std::int32_t* idle,
                   int idle_count, const Real* sums, Real* derivatives) {
  if (w.mzis > 0) differentiate_kernel<<<over(w.mzis, threads), threads>>>(w, parameters, sums, derivatives);
  idle_sum_kernel<<<1, threads>>>(idle, idle_count, sums, derivatives + 8 * std::size_t(w.mzis));
  check_launch();
}

template <class Real>
void pack(const Wiring& w, const Real* re, const Real* im, int words, Number<Real>* fields) {
  pack_kernel<<<over(std::size_t(words) * w.stride, threads), threads>>>(w, re, im, words, fields);
  check_launch();
}

template <class Real>
void unpack(const Wiring& w, const Number<Real>* fields, int words, Real* re, Real* im) {
  unpack_kernel<<<over(std::size_t(words) * w.ports, threads), threads>>>(w, fields, words, re, im);
  check_launch();
}

template <class Real>
void unpack(const Wiring& w, const Number<Real>* fields, std::size_t words, Number<Real>* ports) {
  unpack_vectors_kernel<<<over(words * w.ports, threads), threads>>>(w, fields, words, ports);
  check_launch();
}

#define INSTANTIATE(Real)                                                                                    \
  template int groups<Real>(const Wiring&, int);                                                             \
  template int parts<Real>(const Wiring&, int);                                                              \
  template bool needs_rows<Real>(const Wiring&, int);                                                        \
  template void fill_idle(const Wiring&, Real, int, const Rows<Real>&);                                      \
  template void settle(const Wiring&, const Parameters<Real>&, const Rows<Real>&);                           \
  template void propagate(const Wiring&, const Rows<Real>&, const Passage<Real>&, Number<Real>*);            \
  template void propagate_chips(const Wiring&, const Parameters<Real>&, const Draws&, Real, std::uint32_t,   \
                                int, const Rows<Real>&, const Passage<Real>&, Number<Real>*);                \
  template void walk_back(const Wiring&, const Rows<Real>&, const Passage<Real>&, const Return<Real>&,       \
                          Number<Real>*);                                                                    \
  template void add_parts(Real*, int, std::size_t, Real*);                                                   \
  template void differentiate(const Wiring&, const Parameters<Real>&, const std::int32_t*, int, const Real*, \
                              Real*);                                                                        \
  template void pack(const Wiring&, const Real*, const Real*, int, Number<Real>*);                           \
  template void unpack(const Wiring&, const Number<Real>*, int, Real*, Real*);                               \
  template void unpack(const Wiring&, const Number<Real>*, std::size_t, Number<Real>*);                      \
  template void correct_chips(const Wiring&, const Parameters<Real>&, const Draws&, const Correction&,       \
                              std::uint32_t, int, Real*);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace optinc::gpu
