#include "onn/task/block_quantiser.hpp"

#include <algorithm>
#include <cmath>

#include "physics/core/check.hpp"
#include "physics/random/stream.hpp"

namespace optinc {
namespace {

void validate_bits(int bits) {
  validate(bits >= 2 && bits <= 16,
           "codes of {} bits (2 to 16 can be sent, a sign and a step at least). Choose 8.", bits);
}
void validate_block(int block) {
  validate(block >= 1, "blocks of {} elements (each scale serves at least one). Choose 1024.", block);
}

Eigen::Index blocks_of(Eigen::Index words, int block) { return (words + block - 1) / block; }

void validate_scales(Eigen::Index words, const Eigen::VectorXf& block_scale, int bits, int block) {
  validate_bits(bits);
  validate_block(block);
  validate(block_scale.size() == blocks_of(words, block),
           "{} scales for {} words in blocks of {} (there must be {}). Pass the scales that quantise gave.",
           block_scale.size(), words, block, blocks_of(words, block));
}

/// 2^(B-1): the code of zero.
int offset_of(int bits) { return 1 << (bits - 1); }

/// encode() of gradients that are finite and within their block's scale.
CodeVector codes_of(const Eigen::Ref<const Eigen::VectorXf>& gradients, const Eigen::VectorXf& block_scale,
                    int bits, int block, const CodeRounding& rounding, std::uint32_t server) {
  CodeVector codes(gradients.size());
  const int offset = offset_of(bits);
  const double steps = offset - 1;
#pragma omp parallel for schedule(static)
  for (Eigen::Index b = 0; b < block_scale.size(); ++b) {
    // An all-zero block divides by one instead: its codes are those of zero.
    const double divisor = block_scale[b] > 0.0f ? static_cast<double>(block_scale[b]) : 1.0;
    const Eigen::Index first = b * block, end = std::min<Eigen::Index>(first + block, codes.size());
    Stream draws(rounding.seed, Purpose::rounding, static_cast<std::uint32_t>(b), 1 + server, rounding.instant);
    for (Eigen::Index i = first; i < end; ++i) {
      // g (24 bits) times steps (15) is exact in double. One rounding is left, the quotient's, and it can
      // neither make nor break a half: other quotients of such numbers lie further off than double resolves.
      const double exact = static_cast<double>(gradients[i]) * steps / divisor;
      const double q = rounding.stochastic ? std::floor(exact + draws.uniform()) : std::rint(exact);
      codes[i] = static_cast<std::uint32_t>(static_cast<int>(q) + offset);
    }
  }
  return codes;
}

}  // namespace

Eigen::VectorXf block_maxima(const Eigen::Ref<const Eigen::VectorXf>& gradients, int block,
                             Eigen::Index server) {
  validate_block(block);
  const Eigen::Index words = gradients.size();
  if (!gradients.allFinite()) {
    Eigen::Index i = 0;
    while (std::isfinite(gradients[i])) ++i;
    validate(
        false,
        "gradient element {} of server {} is {} (only finite numbers have a code). Lower the learning rate.", i,
        server, gradients[i]);
  }
  Eigen::VectorXf maxima(blocks_of(words, block));
#pragma omp parallel for schedule(static)
  for (Eigen::Index b = 0; b < maxima.size(); ++b)
    maxima[b] =
        gradients.segment(b * block, std::min<Eigen::Index>(block, words - b * block)).cwiseAbs().maxCoeff();
  return maxima;
}

CodeRounding code_rounding(const Task& task, std::uint64_t seed, std::uint32_t instant) {
  return {task.outputs == Outputs::analogue && task.rounding == Rounding::stochastic, seed, instant};
}

CodeVector encode(const Eigen::Ref<const Eigen::VectorXf>& gradients, const Eigen::VectorXf& block_scale,
                  int bits, int block, const CodeRounding& rounding, std::uint32_t server) {
  validate_scales(gradients.size(), block_scale, bits, block);
  const Eigen::VectorXf largest = block_maxima(gradients, block);
  for (Eigen::Index b = 0; b < largest.size(); ++b)
    validate(largest[b] <= block_scale[b],
             "a gradient of {} in block {} of scale {} (a scale is the largest of all servers). "
             "Take block_maxima of every server.",
             largest[b], b, block_scale[b]);
  return codes_of(gradients, block_scale, bits, block, rounding, server);
}

QuantisedGradients quantise(const Eigen::MatrixXf& gradients, int bits, int block,
                            const CodeRounding& rounding) {
  validate_bits(bits);
  const Eigen::Index words = gradients.rows(), servers = gradients.cols();
  validate(servers >= 1, "gradients of 0 servers (there is nothing to send). Pass one column per server.");
  Eigen::VectorXf scale = block_maxima(gradients.col(0), block);
  for (Eigen::Index n = 1; n < servers; ++n) scale = scale.cwiseMax(block_maxima(gradients.col(n), block, n));
  Codes codes(words, servers);
  for (Eigen::Index n = 0; n < servers; ++n)
    codes.col(n) = codes_of(gradients.col(n), scale, bits, block, rounding, static_cast<std::uint32_t>(n));
  return {std::move(codes), std::move(scale), bits, block};
}

Eigen::VectorXf dequantise(const Eigen::VectorXd& mean_codes, const Eigen::VectorXf& block_scale, int bits,
                           int block) {
  const Eigen::Index words = mean_codes.size();
  validate_scales(words, block_scale, bits, block);
  validate(
      mean_codes.allFinite(),
      "a mean code is not finite (no gradient corresponds to it). Check the light's path that returned it.");
  const double offset = offset_of(bits), steps = offset - 1.0;
  Eigen::VectorXf gradient(words);
  for (Eigen::Index b = 0; b < block_scale.size(); ++b) {
    const Eigen::Index first = b * block, count = std::min<Eigen::Index>(block, words - first);
    const double scale = static_cast<double>(block_scale[b]);
    gradient.segment(first, count) =
        ((mean_codes.segment(first, count).array() - offset) * scale / steps).cast<float>();
  }
  return gradient;
}

double overhead_share(int bits, int block, int scale_bits) {
  validate_bits(bits);
  validate_block(block);
  validate(scale_bits >= 1, "scales of {} bits (a scale takes at least one). Choose 32.", scale_bits);
  return static_cast<double>(scale_bits) / (static_cast<double>(bits) * static_cast<double>(block));
}

}  // namespace optinc
