#include "onn/gpu/detail/table_kernels.hpp"
#include "physics/gpu/check_cuda.hpp"
#include "physics/gpu/launch.cuh"
#include "physics/gpu/numbers.cuh"
#include "physics/gpu/stream.cuh"

namespace optinc::gpu {
namespace {

constexpr int words_of_block = 4096;  // table_block_words

__device__ double chance_beyond(double reach, int count) {
  return -expm1(count * log1p(-erfc(reach * M_SQRT1_2)));
}

__device__ double normal_beyond(double reach, SequentialStream& stream) {
  double z = 0.0;
  if (reach < 1) {
    do z = stream.normal();
    while (fabs(z) <= reach);
    return z;
  }
  do z = sqrt(reach * reach - 2 * log(stream.uniform()));
  while (stream.uniform() * z > reach);
  return stream.uniform() < 0.5 ? -z : z;
}

/// normals_beyond() of physics/random, draw by draw.
__device__ void normals_beyond(double reach, SequentialStream& stream, double* out, int count) {
  const double one = chance_beyond(reach, 1), any = chance_beyond(reach, count);
  const double place = log1p(-any * stream.uniform()) / log1p(-one);
  const int first = place < count - 1 ? static_cast<int>(place) : count - 1;
  for (int i = 0; i < count; ++i) {
    do out[i] = i == first ? normal_beyond(reach, stream) : stream.normal();
    while (i < first && fabs(out[i]) > reach);
  }
}

/// What the converter makes of a value in digits.
__device__ double read(const Table& t, double y) {
  if (t.step == 0) return y;
  const double outermost = t.full_scale - t.step / 2;
  return 1.5 + fmin(fmax((floor((y - 1.5) / t.step) + 0.5) * t.step, -outermost), outermost);
}

__device__ std::uint32_t decided_digit(const Table& t, double y) {
  y = read(t, y);
  return y >= 2.5 ? 3u : y >= 1.5 ? 2u : y >= 0.5 ? 1u : 0u;
}

/// The answer of a word that noise may move.
__device__ std::uint32_t drawn_answer(const Table& t, std::uint32_t word, SequentialStream& stream) {
  const float* const off =
      t.draws > 0 ? t.before_readout + std::size_t{stream.below(t.draws)} * t.words * t.digits : nullptr;
  double normals[most_digits + 1];
  normals_beyond(t.reach[word], stream, normals, t.digits + 1);
  std::uint32_t code = 0;
  for (int m = 0; m < t.digits; ++m) {
    const std::size_t at = std::size_t{word} * t.digits + m;
    const ReadoutNoise& r = t.readout[m];
    double y = t.outputs[at];
    if (off != nullptr) y += double{off[at]};
    const double v = y - r.bias;
    y += sqrt(r.white + r.shot * v * v) * normals[m] + normals[t.digits] * (r.intensity * v + r.leak);
    code = 4 * code + decided_digit(t, y);
  }
  return code;
}

/// A block of words: all look their answers up and draw whether noise may move them; one thread draws for those
/// it may, in their order.
__global__ void send_kernel(Table t, const std::uint32_t* codes, std::size_t words, StreamKey key,
                            std::uint32_t chip, std::uint32_t* answers) {
  __shared__ std::uint32_t word_of[words_of_block];
  __shared__ std::uint32_t moves[words_of_block / 32];
  t = of_chip(t, blockIdx.y);
  chip += blockIdx.y;
  answers += blockIdx.y * words;
  const std::size_t first = std::size_t{blockIdx.x} * words_of_block;
  const int count = static_cast<int>(min(std::size_t{words_of_block}, words - first));
  key.trial += blockIdx.x;
  for (int i = threadIdx.x; i < words_of_block / 32; i += threads) moves[i] = 0;
  __syncthreads();
  for (int w = threadIdx.x; w < count; w += threads) {
    std::uint32_t word = 0;
    for (int n = 0; n < t.servers; ++n) word += t.share[codes[n * words + first + w]];
    word_of[w] = word;
    answers[first + w] = t.decided[word];
  }
  if (!t.noisy) return;
  __syncthreads();
  for (int quad = threadIdx.x; 4 * quad < count; quad += threads) {
    const auto drawn = block_of_words(key, chip, quad);
    for (int i = 0; i < 4; ++i)
      if (4 * quad + i < count && drawn[i] < t.moving[word_of[4 * quad + i]])
        atomicOr(moves + quad / 8, 1u << (4 * quad + i) % 32);
  }
  __syncthreads();
  if (threadIdx.x > 0) return;
  SequentialStream stream(key, chip, count);
  for (int i = 0; i < words_of_block / 32; ++i)
    for (std::uint32_t left = moves[i]; left != 0; left &= left - 1) {
      const int w = 32 * i + __ffs(static_cast<int>(left)) - 1;
      answers[first + w] = drawn_answer(t, word_of[w], stream);
    }
}

__global__ void set_outputs_kernel(Table t, const double* values, std::uint32_t first, int words) {
  const int w = static_cast<int>(blockIdx.x * threads + threadIdx.x);
  if (w >= words) return;
  t = of_chip(t, blockIdx.y);
  values += (std::size_t{blockIdx.y} * words + w) * t.digits;
  std::uint32_t code = 0;
  for (int m = 0; m < t.digits; ++m) {
    t.outputs[std::size_t{first + w} * t.digits + m] = static_cast<float>(values[m]);
    code = 4 * code + decided_digit(t, values[m]);
  }
  t.decided[first + w] = code;
}

__global__ void set_before_kernel(Table t, const double* values, std::uint32_t draw, std::uint32_t first,
                                  std::size_t cells) {
  const std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= cells) return;
  t = of_chip(t, blockIdx.y);
  const std::size_t at = std::size_t{first} * t.digits + i;
  t.before_readout[std::size_t{draw} * t.words * t.digits + at] =
      static_cast<float>(values[blockIdx.y * cells + i]) - t.outputs[at];
}

/// reach_of_word() of onn/link/response_table.cpp for one draw of the neurons' noise, or none: `reach` so far.
__device__ double limited_reach(const Table& t, std::uint32_t word, const float* off, double reach) {
  const std::size_t at = std::size_t{word} * t.digits;
  const std::uint32_t code = t.decided[word];
  double y[most_digits], rms[most_digits];
  for (int m = 0; m < t.digits; ++m) {
    const ReadoutNoise& r = t.readout[m];
    y[m] = t.outputs[at + m];
    if (off != nullptr) y[m] += double{off[at + m]};
    const double v = y[m] - r.bias;
    rms[m] = sqrt(r.white + r.shot * v * v) + fabs(r.intensity * v + r.leak);
    const int d = code >> (2 * (t.digits - 1 - m)) & 3u;
    const double below = d > 0 ? y[m] - (d - 0.5) : INFINITY, above = d < 3 ? d + 0.5 - y[m] : INFINITY;
    if (rms[m] > 0) reach = fmin(reach, (fmin(below, above) - t.step / 2) / rms[m]);
  }
  reach *= 1 - 1e-6;
  for (int m = 0; m < t.digits && reach > 0; ++m) {
    const std::uint32_t d = code >> (2 * (t.digits - 1 - m)) & 3u;
    if (decided_digit(t, y[m] + reach * rms[m]) != d || decided_digit(t, y[m] - reach * rms[m]) != d) reach = 0;
  }
  return reach;
}

__global__ void find_reach_kernel(Table t) {
  const std::uint32_t word = blockIdx.x * threads + threadIdx.x;
  if (word >= t.words) return;
  t = of_chip(t, blockIdx.y);
  double reach = 100.0;
  if (t.draws == 0) reach = limited_reach(t, word, nullptr, reach);
  for (std::uint32_t d = 0; d < t.draws; ++d)
    reach = limited_reach(t, word, t.before_readout + std::size_t{d} * t.words * t.digits, reach);
  const float found = static_cast<float>(fmax(reach, 0.0));
  t.reach[word] = found;
  t.moving[word] =
      static_cast<std::uint32_t>(fmin(rint(ldexp(chance_beyond(found, t.digits + 1), 32)), 4294967295.0));
}

__global__ void count_wrong_kernel(const std::uint32_t* answers, const std::uint32_t* expected,
                                   std::size_t words, unsigned long long* wrong) {
  answers += blockIdx.y * words;
  unsigned count = 0;
  for (std::size_t w = std::size_t{blockIdx.x} * threads + threadIdx.x; w < words; w += gridDim.x * threads)
    count += answers[w] != expected[w];
  count = over_warp(count);
  if (threadIdx.x % 32 == 0) atomicAdd(wrong + blockIdx.y, count);
}

}  // namespace

void send_by_table(const Table& table, const std::uint32_t* codes, std::size_t words, const StreamKey& key,
                   std::uint32_t chip, int chips, std::uint32_t* answers) {
  if (words == 0) return;
  const dim3 blocks(static_cast<unsigned>((words + words_of_block - 1) / words_of_block), chips);
  send_kernel<<<blocks, threads>>>(table, codes, words, key, chip, answers);
  check_launch();
}

void set_outputs(const Table& table, const double* values, std::uint32_t first, int words, int chips) {
  set_outputs_kernel<<<grid(words, chips), threads>>>(table, values, first, words);
  check_launch();
}

void set_before_readout(const Table& table, const double* values, std::uint32_t draw, std::uint32_t first,
                        int words, int chips) {
  const std::size_t cells = std::size_t(words) * table.digits;
  set_before_kernel<<<grid(cells, chips), threads>>>(table, values, draw, first, cells);
  check_launch();
}

void find_reach(const Table& table, int chips) {
  find_reach_kernel<<<grid(table.words, chips), threads>>>(table);
  check_launch();
}

void count_wrong(const std::uint32_t* answers, const std::uint32_t* expected, std::size_t words, int chips,
                 unsigned long long* wrong) {
  count_wrong_kernel<<<dim3(8, chips), threads>>>(answers, expected, words, wrong);
  check_launch();
}

}  // namespace optinc::gpu
