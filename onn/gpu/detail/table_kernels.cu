#include "onn/gpu/detail/table_kernels.hpp"
#include "physics/gpu/check_cuda.hpp"
#include "physics/gpu/stream.cuh"

namespace optinc::gpu {
namespace {

constexpr int block_words = 4096, threads = 256;  // table_block_words

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
    if (t.step > 0) {
      const double outermost = t.full_scale - t.step / 2;
      y = 1.5 + fmin(fmax((floor((y - 1.5) / t.step) + 0.5) * t.step, -outermost), outermost);
    }
    code = 4 * code + (y >= 2.5 ? 3u : y >= 1.5 ? 2u : y >= 0.5 ? 1u : 0u);
  }
  return code;
}

/// A block of words: all look their answers up and draw whether noise may move them; one thread draws for those
/// it may, in their order.
__global__ void send_kernel(Table t, const std::uint32_t* codes, std::size_t words, StreamKey key,
                            std::uint32_t chip, std::uint32_t* answers) {
  __shared__ std::uint32_t word_of[block_words];
  __shared__ std::uint32_t moves[block_words / 32];
  const std::size_t first = std::size_t{blockIdx.x} * block_words;
  const int count = static_cast<int>(min(std::size_t{block_words}, words - first));
  key.trial += blockIdx.x;
  for (int i = threadIdx.x; i < block_words / 32; i += threads) moves[i] = 0;
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
  for (int i = 0; i < block_words / 32; ++i)
    for (std::uint32_t left = moves[i]; left != 0; left &= left - 1) {
      const int w = 32 * i + __ffs(static_cast<int>(left)) - 1;
      answers[first + w] = drawn_answer(t, word_of[w], stream);
    }
}

}  // namespace

void send_by_table(const Table& table, const std::uint32_t* codes, std::size_t words, const StreamKey& key,
                   std::uint32_t chip, std::uint32_t* answers) {
  if (words == 0) return;
  const auto blocks = static_cast<unsigned>((words + block_words - 1) / block_words);
  send_kernel<<<blocks, threads>>>(table, codes, words, key, chip, answers);
  check_launch();
}

}  // namespace optinc::gpu
