#include "experiments/models/learning/block_quantiser.hpp"

#include <algorithm>
#include <cmath>

#include "physics/core/check.hpp"

namespace optinc {
namespace {

void validate_format(int bits, int block) {
  validate(bits >= 2 && bits <= 16,
           "codes of {} bits (2 to 16 can be sent, a sign and a step at least). Choose 8.", bits);
  validate(block >= 1, "blocks of {} elements (each scale serves at least one). Choose 1024.", block);
}

Eigen::Index blocks_of(Eigen::Index words, int block) { return (words + block - 1) / block; }

/// 2^(B-1): the code of zero.
int offset_of(int bits) { return 1 << (bits - 1); }

}  // namespace

QuantisedGradients quantise(const Eigen::MatrixXf& gradients, int bits, int block) {
  validate_format(bits, block);
  const Eigen::Index words = gradients.rows(), servers = gradients.cols();
  validate(servers >= 1, "gradients of 0 servers (there is nothing to send). Pass one column per server.");
  for (Eigen::Index n = 0; n < servers; ++n) {
    if (gradients.col(n).allFinite()) continue;
    Eigen::Index i = 0;
    while (std::isfinite(gradients(i, n))) ++i;
    validate(
        false,
        "gradient element {} of server {} is {} (only finite numbers have a code). Lower the learning rate.", i,
        n, gradients(i, n));
  }

  QuantisedGradients result{CodeMatrix(words, servers), Eigen::VectorXf(blocks_of(words, block)), bits, block};
  const int offset = offset_of(bits);
  const double steps = offset - 1;
#pragma omp parallel for schedule(static)
  for (Eigen::Index b = 0; b < result.block_scale.size(); ++b) {
    const Eigen::Index first = b * block, count = std::min<Eigen::Index>(block, words - first);
    const float scale = gradients.middleRows(first, count).cwiseAbs().maxCoeff();
    result.block_scale[b] = scale;
    // An all-zero block divides by one instead: its codes are those of zero.
    const double divisor = scale > 0.0f ? static_cast<double>(scale) : 1.0;
    for (Eigen::Index n = 0; n < servers; ++n) {
      for (Eigen::Index i = first; i < first + count; ++i) {
        // g (24 bits) times steps (15) is exact in double. One rounding is left, the quotient's, and it can
        // neither make nor break a half: other quotients of such numbers lie further off than double resolves.
        const double q = std::rint(static_cast<double>(gradients(i, n)) * steps / divisor);
        result.codes(i, n) = static_cast<std::uint32_t>(static_cast<int>(q) + offset);
      }
    }
  }
  return result;
}

Eigen::VectorXf dequantise(const Eigen::VectorXd& mean_codes, const Eigen::VectorXf& block_scale, int bits,
                           int block) {
  validate_format(bits, block);
  const Eigen::Index words = mean_codes.size();
  validate(block_scale.size() == blocks_of(words, block),
           "{} scales for {} words in blocks of {} (there must be {}). Pass the scales that quantise gave.",
           block_scale.size(), words, block, blocks_of(words, block));
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
  validate_format(bits, block);
  validate(scale_bits >= 1, "scales of {} bits (a scale takes at least one). Choose 32.", scale_bits);
  return static_cast<double>(scale_bits) / (static_cast<double>(bits) * static_cast<double>(block));
}

}  // namespace optinc
