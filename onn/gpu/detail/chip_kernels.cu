#include <type_traits>

#include <cublas_v2.h>

#include "onn/gpu/detail/chip_kernels.hpp"
#include "physics/gpu/check_cuda.hpp"
#include "physics/gpu/chip.cuh"
#include "physics/gpu/launch.cuh"

namespace optinc::gpu {
namespace {

/// program_attenuators() and the bar path of mzi(), of attenuator `i`.
__device__ Number<double> passed_by(const Attenuators& a, std::uint32_t chip, int i) {
  const double asked = a.asked[i];
  if (a.mzis == 0) return {asked, 0};
  const Draws& d = a.draws;
  const std::uint32_t n = a.mzis;
  Errors<double> e = drawn_splitters<double>(d, chip, n, i);
  const Errors<double> known = a.known ? e : Errors<double>{};
  bool clipped = false;
  const double theta = theta_for_bar_power(asked * asked, known.alpha, known.beta, clipped);
  const Number<double> bar = Parts<double>(theta, 0.0, known).upper_row().upper;
  const double psi = a.known && clipped ? acos(fmin(1.0, fabs(asked) / modulus(bar))) : 0.0;
  const double phi = (asked < 0 ? M_PI : 0.0) + psi - atan2(bar.im, bar.re);
  const auto offset = [&](std::uint32_t number) {
    return add(drawn<double>(d.calibration, chip, number, d.sigma_calibration),
               drawn<double>(d.phase_noise, chip, number, d.sigma_phase));
  };
  const auto loss = [&](std::uint32_t arm) {
    return fmax(add(drawn<double>(d.losses, chip, arm * n + i, d.arm_spread_db), d.mean_arm_db), 0.0);
  };
  e.theta_offset = offset(i);
  e.phi_offset = offset(n + i);
  e.theta_arm_db = loss(0);
  e.phi_arm_db = loss(1);
  e.theta_other_db = loss(2);
  e.phi_other_db = loss(3);
  return Parts<double>(on_dac(theta, a.correction), on_dac(phi, a.correction), e).upper_row().upper;
}

__global__ void pass_attenuators_kernel(Attenuators a, std::uint32_t first, Number<double>* passed) {
  const int i = static_cast<int>(blockIdx.x * threads + threadIdx.x);
  if (i < a.count) passed[std::size_t{blockIdx.y} * a.count + i] = passed_by(a, first + blockIdx.y, i);
}

template <class Real>
__global__ void place_kernel(BlockPlace p, const Number<double>* mesh, const Number<double>* passed,
                             Real* matrices) {
  const int i = static_cast<int>(blockIdx.x * threads + threadIdx.x);
  if (i >= p.rows * p.ports) return;
  const std::size_t chip = blockIdx.y;
  const int row = i % p.rows, column = i / p.rows;
  const Number<double> t =
      p.factor * (passed[chip * p.rows + row] * mesh[(chip * p.ports + column) * p.ports + row]);
  const int rows = p.outputs * (p.quadrature_out ? 2 : 1), columns = p.inputs * (p.quadrature_in ? 2 : 1);
  Real* const re =
      matrices + chip * rows * columns + std::size_t(p.first_column + column) * rows + p.first_row + row;
  Real* const im = re + std::size_t(p.inputs) * rows;  // what comes of the other quadrature
  re[0] = static_cast<Real>(t.re);
  if (p.quadrature_in) im[0] = static_cast<Real>(-t.im);
  if (p.quadrature_out) re[p.outputs] = static_cast<Real>(t.im);
  if (p.quadrature_in && p.quadrature_out) im[p.outputs] = static_cast<Real>(t.re);
}

template <class Real>
__global__ void gather_kernel(const Lane* lanes, int inputs, bool quadrature, Sources<Real> sources, int words,
                              Real* to) {
  const std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= std::size_t(words) * inputs) return;
  const std::size_t chip = blockIdx.y, word = i / inputs;
  const int input = static_cast<int>(i % inputs), rows = quadrature ? 2 * inputs : inputs;
  const Lane lane = lanes[input];
  const Source<Real> from = sources.of[lane.source];
  const Real* const value = from.values + chip * from.per_chip + word * from.rows + lane.row;
  const Real factor = static_cast<Real>(lane.factor), most = static_cast<Real>(lane.most);
  Real re = factor * value[0];
  if (most > 0) re = fmin(fmax(re, -most), most);
  to += (chip * words + word) * rows + input;
  to[0] = re;
  if (quadrature) to[inputs] = most == 0 && from.quadrature > 0 ? factor * value[from.quadrature] : Real(0);
}

/// Normals that a layer's receivers draw, (chips, words, drawn): a thread takes a block of four in a block of
/// words. Grid: (fours, blocks of words, chips).
template <class Real>
__global__ void draw_kernel(NoiseOfWords n, int drawn_before, int drawn, int words, Real* normals) {
  const std::uint32_t block = n.first / n.block_words + blockIdx.y,
                      of_block = min(n.block_words, n.part_words - block * n.block_words),
                      base = drawn_before * of_block, end = base + drawn * of_block,
                      four = 4 * (base / 4 + blockIdx.x * threads + threadIdx.x);
  if (four >= end) return;
  StreamKey key = n.key;
  key.trial += block * n.block_streams;
  Real of_four[4];
  block_of_normals(key, n.chip + blockIdx.z, four / 4, of_four);
  Real* const to = normals + (std::size_t{blockIdx.z} * words + blockIdx.y * n.block_words) * drawn;
#pragma unroll
  for (std::uint32_t i = 0; i < 4; ++i)
    if (four + i >= base && four + i < end) to[four + i - base] = of_four[i];
}

template <class Real>
__global__ void receive_kernel(Receivers<Real> r, int words, const Real* normals, Real* fields) {
  const std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= std::size_t(words) * r.outputs) return;
  const std::size_t word = blockIdx.y * std::size_t(words) + i / r.outputs;
  const int p = static_cast<int>(i % r.outputs);
  Real* const field = fields + word * r.rows + p;
  Real current = r.current_per_field * field[0];
  if (r.noisy) {
    normals += word * r.drawn();
    Real variance = r.dark_a2;
    if (r.per_watt_a2 > 0) {
      const Real im = field[r.outputs];
      variance += r.per_watt_a2 * (field[0] * field[0] + im * im);
    }
    const Real own = sqrt(variance) * normals[r.drawn() - r.outputs + p];
    if (r.intensity > 0)
      current += r.intensity * normals[0] * (current + (p % 2 == 0 ? r.oscillator_a : -r.oscillator_a));
    current += own;
  }
  Real value = r.gain * current + r.bias[p];
  if (!r.servers) {
    value = r.drive * (fmin(fmax(value, Real(0)), r.ceiling) + r.offset);
    if (r.most > 0) value = fmin(fmax(value, -r.most), r.most);
  }
  field[0] = value;
}

template <class Real>
__global__ void put_digits_kernel(const Real* values, int rows, int outputs, int first, int digits,
                                  std::size_t words, double* to) {
  const std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= words * outputs) return;
  const std::size_t word = blockIdx.y * words + i / outputs;
  to[word * digits + first + i % outputs] = static_cast<double>(values[word * rows + i % outputs]);
}

void check_product(cublasStatus_t status) {
  check(status == CUBLAS_STATUS_SUCCESS ? cudaSuccess : cudaErrorUnknown, "a product of matrices");
}

}  // namespace

void pass_attenuators(const Attenuators& a, std::uint32_t first, int chips, Number<double>* passed) {
  pass_attenuators_kernel<<<grid(a.count, chips), threads>>>(a, first, passed);
  check_launch();
}

template <class Real>
void place_block(const BlockPlace& place, const Number<double>* mesh, const Number<double>* passed, int chips,
                 Real* matrices) {
  place_kernel<<<grid(std::size_t(place.rows) * place.ports, chips), threads>>>(place, mesh, passed, matrices);
  check_launch();
}

template <class Real>
void gather(const Lane* lanes, int inputs, bool quadrature, const Sources<Real>& sources, int words, int chips,
            Real* to) {
  gather_kernel<<<grid(std::size_t(words) * inputs, chips), threads>>>(lanes, inputs, quadrature, sources,
                                                                       words, to);
  check_launch();
}

template <class Real>
void draw_normals(const Receivers<Real>& r, const NoiseOfWords& n, int words, int chips, Real* normals) {
  // from the start of a block of words on; one normal less than a four at either end
  const std::size_t fours = std::size_t(r.drawn()) * n.block_words / 4 + 2;
  const dim3 blocks(grid(fours, 1).x, (words + n.block_words - 1) / n.block_words, chips);
  draw_kernel<<<blocks, threads>>>(n, r.drawn_before, r.drawn(), words, normals);
  check_launch();
}

template <class Real>
void receive(const Receivers<Real>& r, int words, int chips, const Real* normals, Real* fields) {
  receive_kernel<<<grid(std::size_t(words) * r.outputs, chips), threads>>>(r, words, normals, fields);
  check_launch();
}

template <class Real>
void put_digits(const Real* values, int rows, int outputs, int first, int digits, int words, int chips,
                double* to) {
  put_digits_kernel<<<grid(std::size_t(words) * outputs, chips), threads>>>(values, rows, outputs, first,
                                                                            digits, words, to);
  check_launch();
}

MatrixProducts::MatrixProducts() {
  cublasHandle_t handle = nullptr;
  check_product(cublasCreate(&handle));
  handle_ = handle;
}
MatrixProducts::~MatrixProducts() { cublasDestroy(static_cast<cublasHandle_t>(handle_)); }

template <class Real>
void MatrixProducts::multiply(const Real* matrices, int rows, int columns, const Real* in, int in_rows,
                              bool in_of_chips, int words, int chips, Real* out) {
  const auto product = [&](auto call) {
    const Real one = 1, zero = 0;
    check_product(call(static_cast<cublasHandle_t>(handle_), CUBLAS_OP_N, CUBLAS_OP_N, rows, words, columns,
                       &one, matrices, rows, 1LL * rows * columns, in, in_rows,
                       in_of_chips ? 1LL * in_rows * words : 0, &zero, out, rows, 1LL * rows * words, chips));
  };
  if constexpr (std::is_same_v<Real, float>)
    product(cublasSgemmStridedBatched);
  else
    product(cublasDgemmStridedBatched);
}

#define INSTANTIATE(Real)                                                                                 \
  template void place_block(const BlockPlace&, const Number<double>*, const Number<double>*, int, Real*); \
  template void gather(const Lane*, int, bool, const Sources<Real>&, int, int, Real*);                    \
  template void draw_normals(const Receivers<Real>&, const NoiseOfWords&, int, int, Real*);               \
  template void receive(const Receivers<Real>&, int, int, const Real*, Real*);                            \
  template void put_digits(const Real*, int, int, int, int, int, int, double*);                           \
  template void MatrixProducts::multiply(const Real*, int, int, const Real*, int, bool, int, int, Real*);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace optinc::gpu
