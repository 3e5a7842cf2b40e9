#pragma once

#include <cstdint>

#include <Eigen/Dense>

#include "onn/task/codes.hpp"

namespace optinc {

/// Gradients as they travel through the light: per block of `block` elements one scale s that all servers share
/// (codes of unlike scales could not be averaged), per element a code in offset binary.
struct QuantisedGradients {
  Codes codes;                  ///< (words, servers), each in 1..2^B - 1; word i is element i of the gradient
  Eigen::VectorXf block_scale;  ///< (ceil(words / block)), s = max |g| over the block and all servers
  int bits = 8;                 ///< B
  int block = 1024;             ///< K, elements per scale; the last block may be shorter
};

/// How servers round a gradient between two codes.
struct CodeRounding {
  bool stochastic = false;    ///< up with the fraction's probability, unbiased; otherwise to the nearer code
  std::uint64_t seed = 1;     ///< of the draws: one for every server, element and instant
  std::uint32_t instant = 0;  ///< a step of training
};

/// That of a task's servers: stochastic where an analogue sum is of stochastic rounding. Nothing else rounds
/// it.
CodeRounding code_rounding(const Task& task, std::uint64_t seed, std::uint32_t instant);

/// Quantises gradients, shape (elements, servers):
///   s = max over block and servers of |g|,   q = rint(g / s (2^(B-1) - 1)) with halves to even,
///   u = q + 2^(B-1).
/// The quotient is rounded as if exact, so |g - dequantised| <= s / (2^B - 2); stochastic: q = floor(.. + z),
/// z uniform in [0, 1), and twice that bound. A block of zeros has scale 0 and codes 2^(B-1). Throws Error
/// unless 2 <= bits <= 16, block >= 1 and there is a server, and where a gradient is not finite, naming element
/// and server.
QuantisedGradients quantise(const Eigen::MatrixXf& gradients, int bits, int block = 1024,
                            const CodeRounding& rounding = {});

/// Largest |g| of every block of one server's gradients (words) -> (ceil(words / block)). The elementwise
/// maximum of all servers' is the scale that quantise() finds where it sees all of them. Throws Error as
/// quantise does; `server` is the number in its message.
Eigen::VectorXf block_maxima(const Eigen::Ref<const Eigen::VectorXf>& gradients, int block = 1024,
                             Eigen::Index server = 0);

/// One server's codes (words), with the scales that all servers agreed on and the draws of `server`. Throws
/// Error for bits, block and the number of scales as dequantise, and where an element is beyond its block's
/// scale.
CodeVector encode(const Eigen::Ref<const Eigen::VectorXf>& gradients, const Eigen::VectorXf& block_scale,
                  int bits, int block = 1024, const CodeRounding& rounding = {}, std::uint32_t server = 0);

/// The gradient of (mean) codes,  g = (u - 2^(B-1)) s / (2^(B-1) - 1),  shape (words). The codes may be
/// fractional and noise may have carried them out of range. Offset binary makes this affine, so the mean of
/// dequantised codes is the dequantised mean. Throws Error for bits and block as quantise, for a number of
/// scales other than ceil(words / block), and for a code that is not finite.
Eigen::VectorXf dequantise(const Eigen::VectorXd& mean_codes, const Eigen::VectorXf& block_scale, int bits,
                           int block = 1024);

/// Bits spent on scales per bit spent on codes, s_b / (B K): 0.00390625 for 8 bits, K = 1024, 32-bit scales.
/// Throws Error for bits and block as quantise, and for scale_bits < 1.
double overhead_share(int bits, int block, int scale_bits = 32);

}  // namespace optinc
